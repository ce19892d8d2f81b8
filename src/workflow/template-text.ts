// Cuts a text of a template into what is said and what is looked up.
import type { Json } from '../json/value.ts'
import { fieldName, refusal } from './refusal.ts'
import type { Site } from './refusal.ts'

/** A stretch of text, or an expression that stood between braces. */
export type Piece = string | { readonly expression: string }

/** The pieces of a text, in order; none of an empty one. Throws `workflow-invalid` for braces that are not closed. */
export function cutText(text: string, site: Site = {}): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (;;) {
    const open = text.indexOf('{{', from)
    const said = text.slice(from, open === -1 ? text.length : open)
    if (said !== '') pieces.push(said)
    if (open === -1) return pieces
    const close = endOf(text, open + 2)
    if (close === -1) {
      throw refusal(site, `${fieldName(site)} has "{{" without "}}" (a literal "{{" is written {{ "{{" }})`, {
        data: { position: open + 1 },
      })
    }
    pieces.push({ expression: text.slice(open + 2, close).trim() })
    from = close + 2
  }
}

/** Where the next `}}` is that stands in no quotes, or -1. */
function endOf(text: string, start: number): number {
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const letter = text.charAt(at)
    if (quote !== '') {
      if (letter === '\\') at++
      else if (letter === quote) quote = ''
    } else if (letter === '"' || letter === "'") quote = letter
    else if (letter === '}' && text.charAt(at + 1) === '}') return at
  }
  return -1
}

/** All expressions of a template that compiles. */
export function expressionsOf(template: Json | undefined): string[] {
  if (typeof template === 'string') {
    return cutText(template).flatMap((piece) => (typeof piece === 'string' ? [] : piece.expression))
  }
  if (typeof template !== 'object' || template === null) return []
  return Object.values(template).flatMap((value: Json | undefined) => expressionsOf(value))
}
