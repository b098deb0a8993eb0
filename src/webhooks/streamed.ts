import type { Event } from '#events'
import { renderTime } from '#kernel'
import { renderEventId } from './wire-ids.ts'

/** The body of a delivery; the number of one belongs to a subscription (webhooks contract §7). */
export function renderMessage({ id, type, occurredAtMs, payload }: Event) {
  const timestamp = renderTime(occurredAtMs)
  return { id: renderEventId(id), type, timestamp, sequence: null, data: payload }
}

/** For those who hand events on by other ways than requests. */
export function renderStreamed(event: Event): { readonly id: string; readonly body: string } {
  const message = renderMessage(event)
  return { id: message.id, body: JSON.stringify(message) }
}
