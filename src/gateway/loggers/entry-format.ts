import { isObject } from '#kernel'
import type { JsonObject } from '../resources/values.ts'
import { compileFormat, type FormatEntry, formatUsual } from './format.ts'

/** The format of the settings, else that of the plugin's metadata as it is now, else the usual one. */
export function createEntryFormat(
  own: FormatEntry | undefined,
  metadata: () => JsonObject | undefined,
): FormatEntry {
  if (own) return own
  let compiledFrom: unknown
  let shared: FormatEntry = formatUsual
  return (ctx, atMs) => {
    const format = metadata()?.['log_format']
    if (format !== compiledFrom) {
      compiledFrom = format
      shared = isObject(format) ? compileFormat(format) : formatUsual
    }
    return shared(ctx, atMs)
  }
}
