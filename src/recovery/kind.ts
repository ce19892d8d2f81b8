// What a kind of run brings so that its log can be read.
import type { LogRecord } from '../journal/log.ts'
import type { Recovery } from '../continuation/recovery.ts'
import type { Json } from '../json/value.ts'
import type { Folded } from './folded.ts'

export interface Kind {
  /** The body is new. */
  begin?(run: Folded): void
  /** The run goes on after an end, or after it was cut off. */
  goOn?(run: Folded, hadEnded: boolean): void
  /** The run went on with new input. */
  input?(run: Folded, input: Json): void
  /** After what is common to all kinds. */
  note(run: Folded, record: LogRecord): void
  /** The log ends here: makes the body what a snapshot has. */
  end(run: Folded): Pick<Recovery, 'isAnswered' | 'answered'>
}
