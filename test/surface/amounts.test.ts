import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { folderFiles, indexedDbFiles, opfsFiles } from '../../adapters/browser/index.ts'
import { javascript as pageJavascript } from '../../adapters/browser/javascript.ts'
import { shell as pageShell } from '../../adapters/browser/shell.ts'
import { shell as denoShell } from '../../adapters/deno/shell.ts'
import {
  directoryFiles,
  hostShell,
  javascript as nodeJavascript,
  mcpServer as stdioServer,
  shell as nodeShell,
} from '../../adapters/node/index.ts'
import { javascript, shell } from '../../adapters/virtual/index.ts'
import { pythonSandbox } from '../../adapters/virtual/python/sandbox.ts'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { diff } from '../../src/diff/diff.ts'
import { history } from '../../src/history/history.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { cacheTools } from '../../src/middleware/cache-tools.ts'
import { compact } from '../../src/middleware/compact.ts'
import { mcpServer, sampling } from '../../src/mcp.ts'
import { rateLimit } from '../../src/middleware/rate-limit.ts'
import { retryTools } from '../../src/middleware/retry-tools.ts'
import { trim } from '../../src/middleware/trim.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { openaiChat } from '../../src/openai.ts'
import { planTool } from '../../src/orchestrator/plan-tool.ts'
import { cow } from '../../src/overlay/cow.ts'
import { guardedFetch } from '../../src/policy/guarded-fetch.ts'
import { policy } from '../../src/policy/policy.ts'
import { recover } from '../../src/recovery/recover.ts'
import { openApi } from '../../src/openapi/open-api.ts'
import { restServer } from '../../src/rest/rest-server.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { mcpHandler } from '../../src/serve.ts'
import { glob } from '../../src/search/glob.ts'
import { grep } from '../../src/search/grep.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readStream } from '../../src/vfs/stream.ts'
import { readText } from '../../src/vfs/text.ts'
import { walk } from '../../src/vfs/walk.ts'
import { quota } from '../../src/wrapper/quota.ts'

/** Its types are those of another runtime. */
const path = '../../adapters/cloudflare/files/vfs.ts'
const { sqliteFiles } = (await import(path)) as { sqliteFiles(storage: never, options: object): unknown }

/** No test may rely on what the types forbid, so values come as any number. */
type Use = (value: number) => unknown

const files = memoryFiles({ files: { '/a': 'a', '/b': 'b' } })
const noStorage = {} as never
const noFetch = (): Promise<Response> => Promise.reject(new Error('unused'))
const mcp = { name: 'mcp', url: 'https://mcp.example.com', fetch: noFetch }
const noWorker = (): never => {
  throw new Error('unused')
}
const model = scriptedModel([])
const confinedLimits = (make: (limits: object) => unknown): Record<string, Use> =>
  Object.fromEntries(
    ['outputChars', 'spillChars', 'commandChars', 'stdinBytes', 'loadMs'].map((name) => [
      `ConfinedLimits.${name}`,
      (value: number) => make({ [name]: value }),
    ]),
  )

/** Every option that is a number, by the type that declares it. */
const options: Readonly<Record<string, Use>> = {
  ...confinedLimits((limits) => shell({ limits })),
  'CacheToolsOptions.maxEntries': (maxEntries) => cacheTools({ maxEntries }),
  'CacheToolsOptions.ttlMs': (ttlMs) => cacheTools({ ttlMs }),
  'CompactOptions.keepTokens': (keepTokens) => compact({ keepTokens }),
  'CompactOptions.maxTokens': (maxTokens) => compact({ maxTokens }),
  'DiffOptions.context': (context) => diff('a\n', 'b\n', { context }),
  'DirectoryFilesOptions.maxFileBytes': (maxFileBytes) => directoryFiles('.', { maxFileBytes }),
  'GlobOptions.limit': (limit) => glob(files, '*', { limit }),
  'GlobOptions.maxEntries': (maxEntries) => glob(files, '*', { maxEntries }),
  'GrepOptions.context': (context) => grep(files, 'a', { context }),
  'GrepOptions.limit': (limit) => grep(files, 'a', { limit }),
  'GrepOptions.maxBytes': (maxBytes) => grep(files, 'a', { maxBytes }),
  'GrepOptions.maxFiles': (maxFiles) => grep(files, 'a', { maxFiles }),
  'HandleFilesOptions.maxFileBytes': (maxFileBytes) => opfsFiles({ maxFileBytes }),
  'HistoryOptions.maxBytes': (maxBytes) => history(files, { maxBytes }),
  'HistoryOptions.maxSteps': (maxSteps) => history(files, { maxSteps }),
  'IndexedDbFilesOptions.maxFileBytes': (maxFileBytes) => indexedDbFiles({ maxFileBytes }),
  'McpClientOptions.requestTimeoutMs': (requestTimeoutMs) => mcpServer({ ...mcp, requestTimeoutMs }).connect(),
  'McpHandlerOptions.maxBodyBytes': (maxBodyBytes) => mcpHandler(toolRegistry(), { maxBodyBytes }),
  'McpHandlerOptions.maxCalls': (maxCalls) => mcpHandler(toolRegistry(), { maxCalls }),
  'McpHandlerOptions.pageSize': (pageSize) => mcpHandler(toolRegistry(), { pageSize }),
  'McpServerOptions.maxResponseBytes': (maxResponseBytes) => mcpServer({ ...mcp, maxResponseBytes }).connect(),
  'McpSourceOptions.maxTools': (maxTools) => mcpServer({ ...mcp, maxTools }).connect(),
  'McpToolOptions.timeoutMs': (timeoutMs) => mcpServer({ ...mcp, timeoutMs }).connect(),
  'MemoryFilesOptions.maxBytes': (maxBytes) => memoryFiles({ maxBytes }),
  'MemoryFilesOptions.maxEntries': (maxEntries) => memoryFiles({ maxEntries }),
  'MemoryStoreOptions.maxChars': (maxChars) => memoryStore({ maxChars }),
  'NodeSandboxOptions.memoryMb': (memoryMb) => nodeShell({ memoryMb }),
  'PlanToolOptions.maxSteps': (maxSteps) => planTool({ tools: [], maxSteps }),
  'PythonOptions.memoryMb': (memoryMb) => pythonSandbox({ memoryMb, open: noWorker }),
  'QuickjsLimits.memoryBytes': (memoryBytes) => javascript({ limits: { memoryBytes } }),
  'QuickjsLimits.steps': (steps) => javascript({ limits: { steps } }),
  'QuotaLimits.bytes': (bytes) => quota(files, { bytes }),
  'QuotaLimits.fileBytes': (fileBytes) => quota(files, { fileBytes }),
  'QuotaLimits.files': (count) => quota(files, { files: count }),
  'RateLimitOptions.modelCalls': (modelCalls) => rateLimit({ modelCalls }),
  'RateLimitOptions.perMs': (perMs) => rateLimit({ perMs }),
  'RateLimitOptions.toolCalls': (toolCalls) => rateLimit({ toolCalls }),
  'ReadStreamOptions.chunkBytes': (chunkBytes) => readStream(files, '/a', { chunkBytes }),
  'ReadStreamOptions.length': (length) => readStream(files, '/a', { length }),
  'ReadStreamOptions.offset': (offset) => readStream(files, '/a', { offset }),
  'ReadTextOptions.maxBytes': (maxBytes) => readText(files, '/a', { maxBytes }),
  'RecoverOptions.maxAttempts': (maxAttempts) =>
    recover(agent({ model }), { store: memoryStore(), run: 'r', maxAttempts }),
  'OpenApiOptions.maxResponseBytes': (maxResponseBytes) => openApi({ name: 'api', document: '{}', maxResponseBytes }),
  'RestServerOptions.maxResponseBytes': (maxResponseBytes) =>
    restServer({ name: 'api', url: 'https://api.example.com', maxResponseBytes }),
  'RetryOptions.maxRetries': (maxRetries) => openaiChat({ model: 'm', maxRetries }),
  'RetryOptions.maxRetryWaitMs': (maxRetryWaitMs) => openaiChat({ model: 'm', maxRetryWaitMs }),
  'RetryToolsOptions.delayMs': (delayMs) => retryTools({ delayMs }),
  'RetryToolsOptions.maxDelayMs': (maxDelayMs) => retryTools({ maxDelayMs }),
  'RetryToolsOptions.retries': (retries) => retryTools({ retries }),
  'SamplingOptions.maxOutputTokens': (maxOutputTokens) => sampling({ model, approve: () => 'deny', maxOutputTokens }),
  'SchemaLimits.depth': (depth) => jsonSchema({}, { depth }),
  'SchemaLimits.nodes': (nodes) => jsonSchema({}, { nodes }),
  'SchemaLimits.patternLength': (patternLength) => jsonSchema({}, { patternLength }),
  'SchemaLimits.references': (references) => jsonSchema({}, { references }),
  'ShellLimits.timeoutMs': (timeoutMs) => policy({ shell: { timeoutMs } }),
  'SilenceOptions.idleTimeoutMs': (idleTimeoutMs) => openaiChat({ model: 'm', idleTimeoutMs }),
  'SilenceOptions.stallTimeoutMs': (stallTimeoutMs) => openaiChat({ model: 'm', stallTimeoutMs }),
  'SqliteFilesOptions.maxBytes': (maxBytes) => sqliteFiles(noStorage, { maxBytes }),
  'SqliteFilesOptions.maxEntries': (maxEntries) => sqliteFiles(noStorage, { maxEntries }),
  'SqliteFilesOptions.maxFileBytes': (maxFileBytes) => sqliteFiles(noStorage, { maxFileBytes }),
  'SessionLimits.idleMs': (idleMs) => mcpHandler(toolRegistry(), { sessions: { idleMs } }),
  'SessionLimits.max': (max) => mcpHandler(toolRegistry(), { sessions: { max } }),
  'StdioServerOptions.maxMessageChars': (maxMessageChars) =>
    stdioServer({ name: 'mcp', command: 'true', maxMessageChars }).connect(),
  'TrimOptions.keepTokens': (keepTokens) => trim({ keepTokens }),
  'TrimOptions.maxTokens': (maxTokens) => trim({ maxTokens }),
  'WalkOptions.maxEntries': (maxEntries) => walk(files, '/', { maxEntries }).next(),
  'WebLimits.maxContentChars': (maxContentChars) => policy({ web: { maxContentChars } }),
  'WebLimits.maxResponseBytes': (maxResponseBytes) => guardedFetch(noFetch, { maxResponseBytes }),
}

/** The same options where they are given in another place. */
const places: Readonly<Record<string, Use>> = {
  'the time of a command': (timeoutMs) => shell().exec({ command: 'true', timeoutMs }),
  'a quota of a policy': (bytes) => policy({ quotas: { bytes } }),
  'the limits of an overlay': (maxBytes) => cow(files, { maxBytes }),
  'files in a folder': (maxFileBytes) => folderFiles(noStorage, { maxFileBytes }),
  'the shell of a page': (outputChars) => pageShell({ limits: { outputChars } }),
  'the shell of Deno': (outputChars) => denoShell({ limits: { outputChars } }),
  'the shell of Node': (outputChars) => nodeShell({ limits: { outputChars } }),
  'the shell of the machine': (outputChars) => hostShell({ root: '.', limits: { outputChars } }),
  'the programs of a page': (loadMs) => pageJavascript({ limits: { loadMs } }),
  'the memory of programs of Node': (memoryMb) => nodeJavascript({ memoryMb }),
  'the programs of Node': (loadMs) => nodeJavascript({ limits: { loadMs } }),
}

/** Types whose numbers are no options of a caller, or are held by a test of their own. */
const elsewhere = [
  // test/agent/ends.test.ts and test/orchestrator/calls.test.ts
  'AgentOptions',
  'Limits',
  // A width of a picture is brought within bounds: test/drawing
  'WaterfallOptions',
  // test/remote/remote.test.ts
  'CallOptions',
  // How the scripted model cuts its text.
  'ScriptedOptions',
  // Between modules, from what was checked.
  'AppendOptions',
  'DeadlineOptions',
  'MachineOptions',
  'NdjsonOptions',
  'NodeWorkerOptions',
  'OutputSenderOptions',
  'SseOptions',
  'StartOptions',
]

const root = new URL('../../', import.meta.url)
const folders = ['src', 'adapters']
const sources = folders
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true }).map((name) => `${folder}/${String(name)}`),
  )
  .filter((path) => path.endsWith('.ts') && !path.startsWith('src/testing/'))

/** What is declared as `readonly name?: number` in an exported type of options. */
const declared = sources.flatMap((path) =>
  [
    ...readFileSync(new URL(path, root), 'utf8').matchAll(
      /^export interface (\w+(?:Options|Limits))\b[^{]*\{([\s\S]*?)\n\}/gm,
    ),
    ...readFileSync(new URL(path, root), 'utf8').matchAll(/^export interface (Limits)\b[^{]*\{([\s\S]*?)\n\}/gm),
  ].flatMap(([, type = '', body = '']) =>
    [...body.matchAll(/^ {2}readonly (\w+)\??: number/gm)].map(([, name = '']) => `${type}.${name}`),
  ),
)

const nonsense = [NaN, -1, -Infinity, '5' as never, null as never, {} as never]

async function errorOf(use: Use, value: number): Promise<unknown> {
  try {
    return await use(value)
  } catch (error) {
    return error
  }
}

describe('an option that is a number', () => {
  it('is in the table below, or held by a test that is named there', () => {
    const open = declared.filter((name) => !elsewhere.includes(name.split('.')[0] ?? ''))
    expect([...new Set(open)].sort()).toEqual(Object.keys(options).sort())
  })

  it.each(Object.entries({ ...options, ...places }))('%s refuses what is no amount', async (name, use) => {
    for (const value of nonsense) {
      const error = await errorOf(use, value)
      expect(error, `${name} with ${String(value)}`).toMatchObject({ code: 'config-invalid' })
      expect((error as Error).message).toMatch(/wanted .*got /)
    }
  })

  it.each([
    ['memory of a program', () => javascript({ limits: { memoryBytes: Infinity } })],
    ['steps of a program', () => javascript({ limits: { steps: Infinity } })],
    ['memory of a Worker', () => nodeShell({ memoryMb: Infinity })],
    ['time of a command', () => policy({ shell: { timeoutMs: Infinity } })],
  ])('that must have an end refuses to have none: the %s', (_, use) => {
    expect(use).toThrow(/wanted a number from 1 to \d+, got Infinity/)
  })

  it.each([
    ['bytes in memory', () => memoryFiles({ maxBytes: Infinity })],
    ['bytes of a file', () => directoryFiles('.', { maxFileBytes: Infinity })],
    ['entries of a walk', () => walk(files, '/', { maxEntries: Infinity }).next()],
  ])('may have no end where nothing breaks by it: the %s', async (_, use) => {
    await expect((async () => use())()).resolves.toBeDefined()
  })

  it('that is given as undefined has its default', () => {
    expect(memoryFiles({ maxBytes: undefined }).capabilities.maxFileBytes).toBe(2 ** 26)
  })
})
