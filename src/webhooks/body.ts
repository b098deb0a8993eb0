import { renderTime } from '#kernel'
import { renderEventId } from './wire-ids.ts'

export interface Message {
  readonly id: string
  readonly type: string
  /** JSON text. */
  readonly data: string
  readonly occurredAtMs: number
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
  return `{"id":"${renderEventId(id)}","type":${JSON.stringify(type)},"timestamp":"${timestamp}","sequence":${sequence},"data":${data}}`
}
