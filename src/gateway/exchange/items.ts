import type { Kind } from '../protocol.ts'
import type { JsonObject } from '../resources/values.ts'

/** One object as it is exchanged with files; its value has neither id nor times. */
export interface Item {
  readonly kind: Kind
  readonly id: string
  readonly value: JsonObject
}

/** What is said of an item to the person who moves it. */
export interface Note {
  /** `routes/7`. */
  readonly of: string
  /** `plugins.plan-access`; empty when the whole item is meant. */
  readonly member: string
  readonly message: string
}

export type Tell = (member: string, message: string) => void

/** In this order nothing is written before what it refers to. */
const ORDER: readonly Kind[] = [
  ...(['ssls', 'upstreams', 'services', 'plugin_configs', 'consumer_groups'] as const),
  ...(['consumers', 'credentials', 'plugin_metadata', 'routes', 'global_rules'] as const),
]

export function sortItems(items: readonly Item[]): Item[] {
  return items.toSorted(
    (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (a.id < b.id ? -1 : 1),
  )
}

/** `jack/credentials/one` for the credential `jack/one`. */
export function idOf({ kind, id }: Item): string {
  return kind === 'credentials' ? id.replace('/', '/credentials/') : id
}

/** The value with its id, as it stands in a list of its kind. */
export function withId(item: Item): JsonObject {
  return item.kind === 'consumers' ? item.value : { id: idOf(item), ...item.value }
}
