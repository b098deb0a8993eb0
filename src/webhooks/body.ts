import { renderTime } from '#kernel'
import { renderEventId } from './wire-ids.ts'

export interface Message {
  /** See `messageIdOf`. */
  readonly id: string
  readonly type: string
  /** JSON text. */
  readonly data: string
  readonly occurredAtMs: number
}

const WITH_ENTRY = '+entry'

/**
 * Under which id the text of an event is stored. There are two of them at most: with the entry that
 * the event is about, for subscriptions that ask for it, and without.
 */
export function messageIdOf(eventId: string, withEntry: boolean): string {
  return withEntry ? eventId + WITH_ENTRY : eventId
}

/** Receivers know the event alone, whichever text they get. */
export function renderMessageId(id: string): string {
  return renderEventId(id.endsWith(WITH_ENTRY) ? id.slice(0, -WITH_ENTRY.length) : id)
}

/**
 * The body of a delivery (webhooks contract §7): byte-identical on every attempt, because it is made
 * of stored text only. The data is spliced in as it is stored.
 */
export function renderBody(
  { id, type, data, occurredAtMs }: Message,
  sequence: number | null,
): string {
  const timestamp = renderTime(occurredAtMs)
  return `{"id":"${renderMessageId(id)}","type":${JSON.stringify(type)},"timestamp":"${timestamp}","sequence":${sequence},"data":${data}}`
}
