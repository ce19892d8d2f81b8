export { openaiChat, type OpenaiChatOptions } from './dialect/openai-chat.ts'
