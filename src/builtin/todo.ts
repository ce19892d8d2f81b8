// The task list a model keeps while it works.
import { fail, ok } from '../tool/tool.ts'
import type { Tool } from '../tool/tool.ts'
import { objectInput } from './json-input.ts'

interface Task {
  readonly task: string
  readonly status: 'pending' | 'in-progress' | 'done'
}

const mostTasks = 50
const longest = 300

/**
 * `todo { tasks: [{ task, status }] }`: the whole list each time, at most 50 tasks of 300 characters, at most one of them in
 * progress. The list is nowhere but in the conversation, as input and as result `{ tasks }`: so it is there after a resume, in
 * another runtime, and for a page that shows the last result.
 */
export const todo = (): Tool =>
  ({
    name: 'todo',
    description:
      'Keeps the list of tasks of a longer job, for you and for the person to see. Give the whole list each time; mark a task in-progress before you begin it and done as soon as it is.',
    input: objectInput<{ tasks: readonly Task[] }>(
      {
        tasks: {
          type: 'array',
          description: 'All tasks, in the order in which they are to be done',
          items: {
            type: 'object',
            properties: {
              task: { type: 'string', description: `One task, at most ${longest} characters` },
              status: {
                type: 'string',
                enum: ['pending', 'in-progress', 'done'],
                description: 'At most one task is in-progress',
              },
            },
            required: ['task', 'status'],
            additionalProperties: false,
          },
        },
      },
      ['tasks'],
    ),
    effect: 'read',
    execute: ({ tasks }: { readonly tasks: readonly Task[] }) => {
      const unfit = problemOf(tasks)
      return unfit === undefined ? ok({ tasks: tasks.map(({ task, status }) => ({ task, status })) }) : fail(unfit)
    },
  }) as Tool

function problemOf(tasks: readonly Task[]): string | undefined {
  if (tasks.length > mostTasks) return `Expected at most ${mostTasks} tasks, got ${tasks.length}`
  const unfit = tasks.find(({ task }) => task.trim() === '' || task.length > longest)
  if (unfit) return `Expected tasks of 1 to ${longest} characters, got one of ${unfit.task.length}`
  const begun = tasks.filter(({ status }) => status === 'in-progress').length
  return begun > 1 ? `Expected at most one task in progress, got ${begun}` : undefined
}
