// The whole style sheet of the chat's shadow root.
import { cardStyle } from './card-style.ts'
import { frameStyle } from './frame-style.ts'
import { textStyle } from './text-style.ts'
import { tokenStyle } from './token-style.ts'

export const chatStyle: string = [tokenStyle, frameStyle, textStyle, cardStyle].join('\n')
