import type { Generated } from 'kysely'

export interface EventTables {
  kernel_events: {
    /** The order of writing: on both databases a later write has a higher number. */
    ord: Generated<number>
    id: string
    /** Null until the sequencer has seen it. */
    seq: number | null
    type: string
    payload: string
    owner: string | null
    /** 1: only its owner may see it. */
    exclusive: number
    live: number
    occurred_at: number
    created_at: number
  }
  /** One row, `last`: the highest `seq` given so far, also when its event is purged. */
  kernel_event_position: { name: string; seq: number }
}

/** Something was committed that has no `seq` yet. */
export const APPENDED_TOPIC = 'events'
/** Events up to the `seq` in the notice can be read. */
export const SEQUENCED_TOPIC = 'events.sequenced'
