// The commands that just-bash has not, or that answer otherwise than models expect.
import type { CustomCommand } from 'just-bash/browser'

export const commands: readonly CustomCommand[] = []
