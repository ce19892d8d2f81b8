// Tools that change files. Each asks first, unless the changes go to an overlay that can be dropped.
import { isSameloopError } from '../error/error.ts'
import { vfsError } from '../vfs/error.ts'
import type { StandardSchema } from '../schema/schema.ts'
import type { ToolContext } from '../tool/context.ts'
import type { Json } from '../message/part.ts'
import { ok } from '../tool/tool.ts'
import type { Tool } from '../tool/tool.ts'
import { replaceText } from '../edit/edit.ts'
import { applyPatch } from '../diff/patch.ts'
import { walk } from '../vfs/walk.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { changeDetails, changePreview, makeChange, planChange } from './change.ts'
import type { Change } from './change.ts'
import { objectInput } from './json-input.ts'
import { absolute, inBand } from './workspace.ts'
import type { Workspace } from './workspace.ts'

const pathField = { type: 'string', description: 'Path; a relative one counts from the workspace root' }

interface ChangeTool<Input> {
  readonly name: string
  readonly description: string
  readonly input: StandardSchema<unknown, Input>
  readonly examples?: readonly string[]
  readonly verb: string
  plan(files: Vfs, input: Input, signal: AbortSignal): Promise<Change>
  answer(change: Change, input: Input): string
}

const writes = { effect: 'local', mode: 'exclusive' } as const

function changeTool<Input extends { readonly path: string }>(space: Workspace, from: ChangeTool<Input>): Tool<Input> {
  const { name, description, input, verb, plan, answer, examples } = from
  return {
    name,
    description,
    input,
    examples,
    ...writes,
    approval: (value) => space.asks((value as unknown as Input).path),
    describeCall: (value: Json, context: ToolContext) => {
      const given = value as unknown as Input
      const files = space.files(context)
      return changePreview(verb, given.path, () => plan(files, given, context.signal))
    },
    execute: (given, context) => {
      const files = space.files(context)
      return inBand(files, async () => {
        const change = await plan(files, given, context.signal)
        await makeChange(files, change, { signal: context.signal })
        return ok(answer(change, given), { details: changeDetails(change) })
      })
    },
  }
}

interface WriteInput {
  readonly path: string
  readonly contents: string
}

export function fsWrite(space: Workspace): Tool<WriteInput> {
  return changeTool<WriteInput>(space, {
    name: 'fs_write',
    description:
      'Writes a whole text file, replacing what was there and making missing directories. For a small change use fs_edit.',
    input: objectInput<WriteInput>(
      {
        path: pathField,
        contents: { type: 'string', description: 'The whole new text' },
      },
      ['path', 'contents'],
    ),
    examples: ['write hello to notes.md', 'save a file'],
    verb: 'Write',
    plan: (files, { path, contents }, signal) =>
      planChange(files, absolute(files, path), () => contents, { signal, replacesAny: true }),
    answer: ({ path, before, after }) =>
      `${before === undefined ? 'Created' : 'Replaced'} ${JSON.stringify(path)} (${after.length} characters)`,
  })
}

interface EditInput {
  readonly path: string
  readonly find: string
  readonly replace: string
  readonly all?: boolean
}

/** The text of a file that must be there. */
function present(path: string, before: string | undefined): string {
  if (before === undefined) throw vfsError('ENOENT', path, { action: 'edit' })
  return before
}

export function fsEdit(space: Workspace): Tool<EditInput> {
  return changeTool<EditInput>(space, {
    name: 'fs_edit',
    description:
      'Replaces one exact piece of text in a file. The text to find must be there exactly once, white space included; with all every place is replaced.',
    input: objectInput<EditInput>(
      {
        path: pathField,
        find: { type: 'string', description: 'Exact text, with enough lines around it to be unique' },
        replace: { type: 'string', description: 'The new text' },
        all: { type: 'boolean', description: 'Replace every place. Default false' },
      },
      ['path', 'find', 'replace'],
    ),
    verb: 'Edit',
    plan: (files, input, signal) => {
      const path = absolute(files, input.path)
      return planChange(files, path, (before) => replaceText(present(path, before), input, path).text, { signal })
    },
    answer: ({ path }) => `Edited ${JSON.stringify(path)}`,
  })
}

interface PatchInput {
  readonly path: string
  readonly patch: string
}

export function fsPatch(space: Workspace): Tool<PatchInput> {
  return changeTool<PatchInput>(space, {
    name: 'fs_patch',
    description:
      'Applies a unified diff to one file. The lines of each hunk must be in the file; line numbers may be slightly off. All hunks are applied or none. A new file is made from a patch that only adds lines.',
    input: objectInput<PatchInput>(
      {
        path: pathField,
        patch: { type: 'string', description: 'Hunks that start with "@@ -1,3 +1,4 @@"; file headers are optional' },
      },
      ['path', 'patch'],
    ),
    verb: 'Patch',
    plan: (files, input, signal) =>
      planChange(files, absolute(files, input.path), (before) => applyPatch(before ?? '', input.patch), { signal }),
    answer: ({ path }) => `Patched ${JSON.stringify(path)}`,
  })
}

interface DeleteInput {
  readonly path: string
  readonly recursive?: boolean
}

export function fsDelete(space: Workspace): Tool<DeleteInput> {
  return {
    name: 'fs_delete',
    description: 'Deletes a file or an empty directory; with recursive a directory with everything in it.',
    input: objectInput<DeleteInput>(
      {
        path: pathField,
        recursive: { type: 'boolean', description: 'Delete a directory that is not empty. Default false' },
      },
      ['path'],
    ),
    ...writes,
    examples: ['delete notes.md'],
    approval: (value) => space.asks((value as unknown as DeleteInput).path),
    describeCall: async (value, context) => {
      const { path, recursive } = value as unknown as DeleteInput
      return { summary: await deletion(space.files(context), path, recursive === true) }
    },
    execute: ({ path, recursive = false }, context) => {
      const files = space.files(context)
      const at = absolute(files, path)
      return inBand(files, async () => {
        await files.rm(at, { recursive, signal: context.signal })
        return ok(`Deleted ${JSON.stringify(at)}`, { details: { path: at, recursive } })
      })
    },
  }
}

const maxCounted = 1000

/** What would go, in a line; a path the files refuse is shown as that. */
async function deletion(files: Vfs, path: string, recursive: boolean): Promise<string> {
  const summary = `Delete ${JSON.stringify(path)}`
  try {
    const at = absolute(files, path)
    const stat = await files.stat(at)
    if (stat === undefined) return `${summary}, which does not exist`
    if (stat.type === 'file') return `${summary}, a file of ${stat.size} bytes`
    return recursive
      ? `${summary}, a directory with ${await countFiles(files, at)} files`
      : `${summary}, a directory, if it is empty`
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return `${summary}; this will fail: ${error.message}`
  }
}

async function countFiles(files: Vfs, path: string): Promise<string> {
  let count = 0
  for await (const entry of walk(files, path, { maxEntries: Infinity })) {
    if (entry.type === 'file') count += 1
    if (count > maxCounted) return `more than ${maxCounted}`
  }
  return String(count)
}
