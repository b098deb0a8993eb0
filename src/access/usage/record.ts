import type { UsageEntry } from '../meter.ts'

/** What the journal keeps of a request: the entry, and the quota it was decided by. */
export interface UsageRecord extends UsageEntry {
  /** The plan's requests per month when the request was let through; null: unlimited. */
  readonly monthLimit: number | null
}

/** Written beside each record, so that a later form can be told from this one. */
const FORM = 2
/** Of versions that knew no epochs; their journals may still be waiting. */
const WITHOUT_EPOCH = 1
const MAX_STATUS = 999

type Encoded = readonly [
  form: typeof FORM | typeof WITHOUT_EPOCH,
  keyId: number,
  atMs: number,
  endpoint: string,
  method: string,
  status: number,
  responseMs: number,
  /** Null: not counted. */
  cost: number | null,
  requestId: string,
  monthLimit: number | null,
  epoch?: number | null,
]

/** A list without names: the journal holds millions of them. */
export function encodeUsage(record: UsageRecord): Encoded {
  return [
    FORM,
    record.keyId,
    Math.round(record.atMs),
    record.endpoint,
    record.method,
    record.status,
    Math.max(0, Math.round(record.responseMs)),
    record.counted ? record.cost : null,
    record.requestId,
    record.monthLimit,
    record.epoch,
  ]
}

/** Undefined when it is not one of ours: a drain that threw at it would stand still for ever. */
export function decodeUsage(data: unknown): UsageRecord | undefined {
  if (!Array.isArray(data) || !isEncoded(data)) return undefined
  const [form, keyId, atMs, endpoint, method, status, responseMs, cost, ...rest] = data
  const [requestId, monthLimit, epoch = null] = rest
  if (status > MAX_STATUS) return undefined
  return {
    keyId,
    atMs,
    endpoint: storable(endpoint),
    method: storable(method),
    status,
    responseMs,
    counted: cost !== null,
    cost: cost ?? 0,
    requestId: storable(requestId),
    monthLimit,
    epoch: form === FORM ? epoch : null,
  }
}

/** A text that a database refuses would be handed over again for ever. */
function storable(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.toWellFormed().replaceAll('\0', '')
}

const INTEGERS = [1, 2, 5, 6]
const TEXTS = [3, 4, 8]
const INTEGERS_OR_NULL = [7, 9]
const EPOCH = 10

function isEncoded(data: unknown[]): data is [...Encoded] {
  if (data[0] !== WITHOUT_EPOCH && (data[0] !== FORM || !isCountOrNull(data[EPOCH]))) return false
  return (
    INTEGERS.every((place) => isCount(data[place])) &&
    TEXTS.every((place) => typeof data[place] === 'string') &&
    INTEGERS_OR_NULL.every((place) => isCountOrNull(data[place]))
  )
}

function isCountOrNull(value: unknown): boolean {
  return value === null || isCount(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
