// LangGraph: a graph with a node per step, and `Send` over a list. In its favour: nodes call a plain function with the
// same check of the input, the values of a fan-out are put into one list in place, and nothing is checkpointed.
import { inRow } from '../steps.mjs'

// Tracing to elsewhere is no part of a graph.
process.env.LANGSMITH_TRACING = 'false'

/** Of the nodes in one step of a graph, `s10` comes before `s2`. */
const inOrder = (values) => values.sort((a, b) => a - b)

export async function load() {
  // The entry without `node:async_hooks`: plans need no context beside their state.
  const { Annotation, END, Send, START, StateGraph } = await import('@langchain/langgraph/web')
  const z = await import('zod')
  const input = z.object({ n: z.number() })
  const increment = (given) => input.parse(given).n + 1
  const list = () =>
    Annotation({
      reducer: (all, more) => {
        all.push(...more)
        return all
      },
      default: () => [],
    })

  const builders = {
    chain(size) {
      const graph = new StateGraph(Annotation.Root({ n: Annotation() }))
      for (const n of inRow(size)) {
        graph.addNode(`s${n}`, (state) => ({ n: increment({ n: state.n }) }))
        graph.addEdge(n === 0 ? START : `s${n - 1}`, `s${n}`)
      }
      return graph.addEdge(`s${size - 1}`, END).compile()
    },
    wide(size) {
      const graph = new StateGraph(Annotation.Root({ n: Annotation(), values: list() }))
      for (const n of inRow(size)) {
        graph.addNode(`s${n}`, () => ({ values: [increment({ n })] }))
        graph.addEdge(START, `s${n}`).addEdge(`s${n}`, END)
      }
      return graph.compile()
    },
    each() {
      const items = ({ items: all }) => all.map((n) => new Send('work', { n }))
      return new StateGraph(Annotation.Root({ items: Annotation(), values: list() }))
        .addNode('work', ({ n }) => ({ values: [increment({ n })] }))
        .addConditionalEdges(START, items, ['work'])
        .addEdge('work', END)
        .compile()
    },
  }

  return {
    build: ({ shape, size }) => builders[shape](size),
    async run({ shape, size, isRead }, graph) {
      const given = shape === 'each' ? { items: inRow(size) } : { n: 0 }
      const options = { recursionLimit: size + 10 }
      if (!isRead) {
        const { n, values } = await graph.invoke(given, options)
        return shape === 'chain' ? [n] : inOrder(values)
      }
      const read = []
      for await (const update of await graph.stream(given, { ...options, streamMode: 'updates' })) {
        for (const { n, values = [n] } of Object.values(update)) read.push(...values)
      }
      return shape === 'chain' ? read.slice(-1) : inOrder(read)
    },
  }
}
