// The source port: a server, a document or a module that brings tools of its own. Registries consume sources.
import type { Tool } from './tool.ts'

/**
 * Tools under one name. A tool `get_order` of the source `shop` with the scheme `rest` is `rest://shop.get_order`.
 * Its tools run like any other, through the one call path: a source lists them, and calls nothing itself.
 */
export interface ToolSource {
  readonly scheme: string
  readonly name: string
  /**
   * Checks the configuration and opens what is needed: before the first use, and again after `close()` or a failure, once
   * at a time. Connecting, listing and closing may take a minute each.
   */
  connect?(): Promise<void>
  /** The tools as they are now; their names are without scheme and source. */
  list(): readonly Tool[] | Promise<readonly Tool[]>
  /** Calls `changed` whenever `list()` may give other tools than before, until the returned function is called. */
  watch?(changed: () => void): () => void
  close?(): Promise<void>
}
