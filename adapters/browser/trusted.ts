// Addresses and texts as pages with Trusted Types want them. Who makes a sandbox has chosen them: nothing of a model is in
// them.

interface ScriptPolicy {
  /** The types of the web say that they are strings. */
  createScriptURL(url: string): string
  createHTML(text: string): string
}

interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy
}

const plain: ScriptPolicy = { createScriptURL: (url) => url, createHTML: (text) => text }
let policy: ScriptPolicy | undefined

function rules(): ScriptPolicy {
  if (policy) return policy
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  try {
    policy = trustedTypes?.createPolicy('sameloop-worker', plain)
  } catch {
    // The page does not allow the name; whether it allows the Worker is seen when it is made.
  }
  return policy ?? plain
}

/** The address of a Worker's script. */
export const trustedUrl = (url: string | URL): string | URL =>
  'trustedTypes' in globalThis ? rules().createScriptURL(String(url)) : url

/** The text of a document. */
export const trustedHtml = (text: string): string => rules().createHTML(text)
