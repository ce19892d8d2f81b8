// JSON that these tables keep, which may have been damaged.
import { SameloopError } from '../../../src/error/error.ts'
import { parseJson } from '../../../src/json/text.ts'
import { isObject } from '../../../src/json/value.ts'

/** The value, as far as it `is` what it should be: by default an object. Throws `journal-invalid`; `what` begins "the". */
export function keptJson(text: string, what: string, is: (value: unknown) => boolean = isObject): unknown {
  const read = parseJson(text)
  if (read.ok && is(read.value)) return read.value
  throw new SameloopError('journal-invalid', `Cannot read ${what}: what is kept of it is damaged`)
}
