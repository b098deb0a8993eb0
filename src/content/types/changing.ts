import type { UnderWay } from '../model.ts'
import type { DesignedType } from './design.ts'
import { differences } from './differences.ts'
import type { ContentTypeChangeBody, NewContentTypeBody } from './schemas.ts'

/** What a caller asked for, of the type of that name; what is rewritten may be the other end of a relation. */
export type TypeCall =
  | { readonly kind: 'replace'; readonly name: string; readonly body: NewContentTypeBody }
  | { readonly kind: 'merge'; readonly name: string; readonly body: ContentTypeChangeBody }

/**
 * A change of a type that is carried out in steps, kept with the type until it is done: a process that
 * dies leaves it to the worker. Meanwhile the old definition holds; what the new one has no room for
 * goes entry by entry.
 */
export interface Changing extends UnderWay {
  readonly id: string
  readonly call: TypeCall
  readonly force: boolean
  /** When whoever carries it out was last at it. */
  readonly aliveAtMs: number
}

/** What of an existing type changes. */
export function changedMembers(designed: DesignedType): UnderWay['members'] {
  const was = designed.before?.definition
  const { definition } = designed
  if (!was) return []
  const flags = (['localized', 'draftAndPublish'] as const).filter(
    (member) => was[member] !== definition[member],
  )
  return differences(designed).length > 0 ? [...flags, 'attributes'] : flags
}
