// Reads the body of a request, within a limit.
import { joinBytes } from '../../../src/stream/bytes.ts'
import type { Refusal } from '../refusal.ts'

/** A client reads its answer once it has sent all: what is too large, or not wanted, is read up to here and forgotten. */
const maxDrainedBytes = 2 ** 25

/** The whole body; refused with 413 above `limit` bytes, and with 400 where it is broken. */
export async function limitedBody(request: Request, limit: number): Promise<Uint8Array | Refusal> {
  const pieces: Uint8Array[] = []
  const { size, isWhole } = await readPieces(request, limit, (piece) => void pieces.push(piece))
  if (size > limit) return { status: 413, code: 'too-large', message: `This body may have at most ${limit} bytes` }
  if (!isWhole) return { status: 400, code: 'invalid-request', message: 'The body is broken' }
  return joinBytes(pieces)
}

/** Takes what is left of a body that nobody reads. */
export async function drain(request: Request): Promise<void> {
  await readPieces(request, maxDrainedBytes, () => {})
}

/** Reads on until `limit` is passed. A broken body is not whole. */
async function readPieces(
  { body }: Request,
  limit: number,
  take: (piece: Uint8Array) => void,
): Promise<{ readonly size: number; readonly isWhole: boolean }> {
  let size = 0
  if (body === null || body.locked) return { size, isWhole: true }
  const reader = body.getReader()
  try {
    while (size <= limit) {
      const { done, value } = await reader.read()
      if (done) return { size, isWhole: true }
      size += value.length
      take(value)
    }
    return { size, isWhole: false }
  } catch {
    return { size, isWhole: false }
  } finally {
    reader.releaseLock()
  }
}
