import type { SecretBox } from '#kernel'
import { type Definition, readDefinition, writeDefinition } from './definition/definition.ts'
import { isObject } from './definition/members.ts'

const CONTEXT = 'scrapers.definition'

/** Definitions at rest: the form of the wire, sealed because headers can hold secrets. */
export function createCodec(box: Pick<SecretBox, 'seal' | 'open'>) {
  return { seal, open }

  function seal(definition: Definition): string {
    return box.seal(JSON.stringify(writeDefinition(definition)), CONTEXT)
  }

  /** What was stored was valid; a rule that came later does not make it unreadable. */
  function open(sealed: string): Definition {
    const parsed: unknown = JSON.parse(box.open(sealed, CONTEXT))
    return readDefinition(isObject(parsed) ? parsed : {}).definition
  }
}

export type Codec = ReturnType<typeof createCodec>
