// The look of the chat in names: one scale of space, of type, one ramp of grey, one accent, three states. Each can be set
// from outside under its public name (`--sl-ink` for `--ink`); `light-dark()` follows the `color-scheme` around it.

/** By name, without the leading dashes. The page's tokens are the same, and a test holds them together. */
export const tokens: Readonly<Record<string, string>> = {
  sans: 'ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, "DejaVu Sans Mono", monospace',
  bg: 'light-dark(oklch(98.4% .004 95), oklch(18.5% .012 265))',
  panel: 'light-dark(oklch(100% 0 0), oklch(22.5% .013 265))',
  sunken: 'light-dark(oklch(96.6% .005 95), oklch(16.5% .012 265))',
  hover: 'light-dark(oklch(95% .006 95), oklch(27% .014 265))',
  line: 'light-dark(oklch(91% .006 95), oklch(30% .014 265))',
  'line-strong': 'light-dark(oklch(82% .008 95), oklch(41% .016 265))',
  ink: 'light-dark(oklch(24% .012 265), oklch(94% .006 265))',
  'ink-2': 'light-dark(oklch(43% .014 265), oklch(77% .012 265))',
  'ink-3': 'light-dark(oklch(52% .014 265), oklch(67% .014 265))',
  accent: 'light-dark(oklch(52% .18 268), oklch(74% .13 268))',
  'accent-soft': 'light-dark(oklch(95.5% .022 268), oklch(29% .055 268))',
  'on-accent': 'light-dark(oklch(100% 0 0), oklch(18% .03 268))',
  ok: 'light-dark(oklch(46% .11 155), oklch(77% .13 155))',
  'ok-soft': 'light-dark(oklch(95.5% .03 155), oklch(27% .045 155))',
  warn: 'light-dark(oklch(49% .11 65), oklch(81% .13 80))',
  'warn-soft': 'light-dark(oklch(96% .04 85), oklch(28% .045 75))',
  bad: 'light-dark(oklch(51% .19 27), oklch(74% .15 25))',
  'bad-soft': 'light-dark(oklch(96% .025 25), oklch(28% .06 25))',
  shade: 'light-dark(oklch(25% .02 265 / .07), oklch(0% 0 0 / .35))',
}

export const tokenStyle: string = `:host {
${Object.entries(tokens)
  .map(([name, value]) => `  --${name}: var(--sl-${name}, ${value});`)
  .join('\n')}
}
:host([theme='light']) { color-scheme: light; }
:host([theme='dark']) { color-scheme: dark; }`
