// The module that the bundle of the suite makes: every entry point of the core by its key.
declare module 'entry-points' {
  export const entryPoints: Readonly<Record<string, object>>
}
