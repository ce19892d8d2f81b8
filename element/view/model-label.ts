// How a model is named to people, and whether it is an AI at all.

export interface ModelLabel {
  readonly label: string
  /** False for a model that only follows rules: it is marked as such wherever it is named. */
  readonly ai: boolean
}

const ruleBased: Readonly<Record<string, string>> = { 'local-planner': 'local planner', scripted: 'scripted' }

export function modelLabel(id: string): ModelLabel {
  if (Object.hasOwn(ruleBased, id)) return { label: ruleBased[id] as string, ai: false }
  return { label: id === '' ? 'model' : id, ai: true }
}
