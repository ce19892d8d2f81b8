// Pages as people build them from the installed package: by Vite, by its development server and by esbuild. Each is
// opened in Chromium, where the agent runs a command and a program.
import { build } from 'esbuild'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as viteBuild, createServer } from 'vite'
import { staticServer } from '../../scripts/static-server.mjs'
import { driveChromium } from '../browser/drive-chromium.mjs'

const html = `<!doctype html><title>page</title><body><script type="module" src="./main.js"></script>`

/** What a page of a user does; with esbuild it names the Workers' scripts that were copied beside it. */
const program = (shellOptions, codeOptions) => `
  import { agent } from 'sameloop'
  import { browser, javascript, shell } from 'sameloop/browser'
  import { scriptedModel } from 'sameloop/testing'
  import { builtinTools } from 'sameloop/tools'
  import { codeTools } from 'sameloop/tools/code'

  const env = browser({ shell: shell(${shellOptions}), code: javascript(${codeOptions}) })
  const model = scriptedModel([
    { calls: [{ name: 'shell', input: { command: 'echo $((6 * 7)) | tee answer.txt' } }] },
    { calls: [{ name: 'run_javascript', input: { code: 'return 6 * 7' } }] },
    ({ messages }) => JSON.stringify(messages),
  ])
  const tools = [...builtinTools({ env }), ...codeTools({ env })]
  const { status, text, error } = await agent({ model, env, tools, approve: () => 'approve' }).run('What is it?').result
  const file = new TextDecoder().decode(await env.fs.read('/answer.txt'))
  const told = text.split('42').length > 2
  document.body.textContent = status + ' ' + file.trim() + ' ' + told + ' ' + (error ?? '')
`

function writeProject(project, name, shellOptions = '', codeOptions = '') {
  const folder = join(project, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), html)
  writeFileSync(join(folder, 'main.js'), program(shellOptions, codeOptions))
  return folder
}

const viteOptions = (root) => ({
  root,
  base: './',
  configFile: false,
  logLevel: 'silent',
  cacheDir: join(root, '.vite'),
  // As the guide says: a package that is bundled ahead of time loses the files beside its modules.
  optimizeDeps: { exclude: ['sameloop'], include: ['sameloop > jmespath'] },
})

/** Serves each kind of page; returns `{ url, close() }`. */
const servings = {
  Vite: async (project) => {
    const root = writeProject(project, 'vite')
    await viteBuild({ ...viteOptions(root), build: { outDir: 'out', minify: true, target: 'es2022' } })
    return staticServer(join(root, 'out'))
  },
  "Vite's development server": async (project) => {
    const root = writeProject(project, 'vite-dev')
    const server = await createServer({
      ...viteOptions(root),
      server: { host: '127.0.0.1', port: 0, fs: { strict: false } },
    })
    await server.listen()
    return { url: `http://127.0.0.1:${server.httpServer.address().port}/`, close: () => server.close() }
  },
  esbuild: async (project) => {
    const scripts = { shell: 'browser-shell-worker.js', code: 'browser-javascript-worker.js' }
    const root = writeProject(
      project,
      'esbuild',
      `{ workerUrl: '/${scripts.shell}' }`,
      `{ workerUrl: '/${scripts.code}' }`,
    )
    const outdir = join(root, 'out')
    const options = { bundle: true, splitting: true, format: 'esm', minify: true, target: 'es2022', logLevel: 'silent' }
    await build({ ...options, entryPoints: [join(root, 'main.js')], outdir })
    for (const name of Object.values(scripts))
      copyFileSync(join(project, 'node_modules/sameloop/dist', name), join(outdir, name))
    copyFileSync(join(root, 'index.html'), join(outdir, 'index.html'))
    return staticServer(outdir)
  },
}

export const pageKinds = Object.keys(servings)

/** Throws with what the page said, where it is not what the agent must find. */
export async function checkPage(kind, project) {
  const { url, close } = await servings[kind](project)
  const browser = await driveChromium()
  try {
    const page = await browser.open(url)
    await page.waitForText('done 42 true', { limitMs: 60_000 }).catch(async ({ message }) => {
      throw new Error([message, ...(await page.errors())].join('\n'))
    })
  } finally {
    await browser.close()
    await close()
  }
}
