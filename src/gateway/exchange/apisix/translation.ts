import type { Kind } from '../../protocol.ts'
import type { JsonObject } from '../../resources/values.ts'
import type { Tell } from '../items.ts'

/** Where settings stand. */
export interface Place {
  readonly kind: Kind
  /** All plugins of the same owner. */
  readonly plugins: JsonObject
  /** More than host and URI decides whether the plugins are used: requests for one URI may meet others, or none. */
  readonly isDivided: boolean
}

/** Undefined: there is no equal, and whoever has the plugin must not go on as if it were not there. */
export type Translate = (conf: JsonObject, tell: Tell, place: Place) => JsonObject | undefined

export function lose(tell: Tell, message: string): undefined {
  tell('', message)
  return undefined
}

export const LATE = 'is known to late versions only'
