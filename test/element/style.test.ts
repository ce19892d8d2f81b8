import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { chatStyle } from '../../element/style/chat-style.ts'
import { tokens } from '../../element/style/token-style.ts'

const pageTokens = readFileSync(new URL('../../web-demo/style/tokens.css', import.meta.url), 'utf8')

describe('the tokens', () => {
  it('are the same in the page and in the chat', () => {
    const ofPage = Object.fromEntries(
      [...pageTokens.matchAll(/--sl-([a-z0-9-]+): (.+);/g)].map(([, name, value]) => [name, value]),
    )
    expect(ofPage).toEqual(tokens)
  })

  it('are all that the chat uses', () => {
    const used = new Set([...chatStyle.matchAll(/var\(--([a-z0-9-]+)/g)].map(([, name]) => name))
    expect([...used].filter((name) => !name?.startsWith('sl-') && !Object.hasOwn(tokens, name ?? ''))).toEqual([])
  })

  it.each(['light', 'dark'] as const)('give text enough contrast in %s', (theme) => {
    const surfaces = ['bg', 'panel', 'sunken', 'hover']
    const pairs = [
      ...['ink', 'ink-2', 'ink-3'].flatMap((ink) => surfaces.map((surface) => [ink, surface] as const)),
      ...['bg', 'panel', 'sunken'].flatMap((surface) =>
        ['accent', 'ok', 'warn', 'bad'].map((ink) => [ink, surface] as const),
      ),
      ['ink', 'accent-soft'],
      ['ink-2', 'accent-soft'],
      ['accent', 'accent-soft'],
      ['ok', 'ok-soft'],
      ['warn', 'warn-soft'],
      ['bad', 'bad-soft'],
      ['ink', 'ok-soft'],
      ['ink', 'bad-soft'],
      ['on-accent', 'accent'],
    ] as const
    const poor = pairs.flatMap(([ink, surface]) => {
      const ratio = contrast(luminance(colour(ink, theme)), luminance(colour(surface, theme)))
      return ratio < 4.5 ? [`${ink} on ${surface}: ${ratio.toFixed(2)}`] : []
    })
    expect(poor).toEqual([])
  })
})

type Colour = readonly [lightness: number, chroma: number, hue: number]

function colour(name: string, theme: 'light' | 'dark'): Colour {
  const [light, dark] = [...(tokens[name] ?? '').matchAll(/oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)/g)]
  const [, l, c, h] = (theme === 'light' ? light : dark) ?? []
  return [Number(l) / 100, Number(c), Number(h)]
}

/** Relative luminance of an OKLCH colour (CSS Color 4, §10.8). */
function luminance([l, c, h]: Colour): number {
  const a = c * Math.cos((h * Math.PI) / 180)
  const b = c * Math.sin((h * Math.PI) / 180)
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clamp = (value: number): number => Math.min(1, Math.max(0, value))
  const red = clamp(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short)
  const green = clamp(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short)
  const blue = clamp(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: number, other: number): number => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
