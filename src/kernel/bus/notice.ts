import { isObject } from '../json.ts'
import { type BusMessage, MAX_NOTICE_BYTES, MAX_TOPIC_BYTES } from './port.ts'

/** A notice on its way: the message is JSON text, read only by those who subscribed to the topic. */
export interface Notice {
  readonly topic: string
  readonly text: string
}

/** What travels between nodes. */
export interface Envelope {
  /** The node that published it; everybody hears their own notices and drops them by this. */
  readonly node: string
  /** Makes equal notices differ: PostgreSQL drops repetitions within one transaction. */
  readonly number: number
  readonly topic: string
  readonly message: BusMessage
}

/** Refuses what a notice between nodes could not carry, so that it fails on one machine too. */
export function toNotice(topic: string, message: BusMessage): Notice {
  const text = JSON.stringify(message)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_NOTICE_BYTES) {
    throw new RangeError(`A notice has at most ${MAX_NOTICE_BYTES} bytes, "${topic}" has ${bytes}`)
  }
  if (Buffer.byteLength(topic) > MAX_TOPIC_BYTES) {
    throw new RangeError(`A topic has at most ${MAX_TOPIC_BYTES} bytes`)
  }
  return { topic, text }
}

export function isNotice(value: unknown): value is Notice {
  return isObject(value) && typeof value['topic'] === 'string' && typeof value['text'] === 'string'
}

/** The message is spliced in as it is, because it was measured as it is. */
export function renderEnvelope(node: string, number: number, { topic, text }: Notice): string {
  const head = `"node":${JSON.stringify(node)},"number":${number},"topic":${JSON.stringify(topic)}`
  return `{${head},"message":${text}}`
}

/** Undefined for anything that is not an envelope: others may write to the same channel. */
export function parseEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isEnvelope(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isEnvelope(value: unknown): value is Envelope {
  return (
    isObject(value) &&
    typeof value['node'] === 'string' &&
    typeof value['number'] === 'number' &&
    typeof value['topic'] === 'string' &&
    'message' in value
  )
}
