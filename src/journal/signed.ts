// Signing snapshots that leave the program.
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import type { Host } from '../host/host.ts'
import { hex, sameText } from '../stream/bytes.ts'

const minSecret = 16

/** A seal by HMAC-SHA-256 over a secret of at least 16 characters; give it to `agent({ snapshots })`. */
export function signed(
  secret: string,
  host: Pick<Host, 'hmac'> = webHost,
): { sign(payload: string): Promise<string>; verify(payload: string, signature: string): Promise<boolean> } {
  if (typeof secret !== 'string' || secret.length < minSecret) {
    throw new SameloopError(
      'config-invalid',
      `Cannot sign snapshots: wanted a secret of at least ${minSecret} characters`,
    )
  }
  const encoder = new TextEncoder()
  const key = encoder.encode(secret)
  const sign = async (payload: string): Promise<string> => hex(await host.hmac(key, encoder.encode(payload)))
  return { sign, verify: async (payload, signature) => sameText(await sign(payload), signature) }
}
