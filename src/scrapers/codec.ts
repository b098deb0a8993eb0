import { isObject } from '#kernel'
import type { SecretBox } from '#secrets'
import { type Definition, readDefinition, writeDefinition } from './definition/definition.ts'

export const HEADERS = 'scrapers.headers'

/** Definitions at rest: the form of the wire, with headers sealed because they can hold secrets. */
export function createCodec(box: Pick<SecretBox, 'seal' | 'open'>) {
  return { write, read }

  function write(definition: Definition): string {
    const { headers, ...rest } = writeDefinition(definition)
    const sealed = definition.headers.size === 0 ? null : box.seal(JSON.stringify(headers), HEADERS)
    return JSON.stringify({ ...rest, headers: sealed })
  }

  /** What was stored was valid; a rule that came later does not make it unreadable. */
  function read(text: string): Definition {
    const stored = parseStored(text)
    const { headers } = stored
    const opened: unknown =
      typeof headers === 'string' ? JSON.parse(box.open(headers, HEADERS)) : {}
    return readDefinition({ ...stored, headers: opened }, undefined, true).definition
  }
}

export type Codec = ReturnType<typeof createCodec>

export function parseStored(text: string): Readonly<Record<string, unknown>> {
  const stored: unknown = JSON.parse(text)
  return isObject(stored) ? stored : {}
}
