import { type CompiledQuery, type Kysely, type QueryResult, sql } from 'kysely'
import type { Database } from '#db'
import { messageIdOf } from '../body.ts'
import { ALWAYS } from '../records.ts'
import type { SealedSecrets } from '../secrets.ts'
import type { DeliveryStatus, Trigger, WebhooksTables } from '../tables.ts'
import { toSealed } from './subscriptions.ts'

/** Where and how the deliveries of a subscription are sent. */
export interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly sealed: SealedSecrets
  /** Held deliveries are being let go, which keeps their order. */
  readonly isUnholding: boolean
  /** One at a time, in sequence. */
  readonly isOrdered: boolean
  /** The least time between two requests; 0 when there is no limit. */
  readonly spacingMs: number
  /** What is left of that time since the last request of a former holder. */
  readonly sendsInMs: number
  /** Of its lane: deliveries of another one are held or given up. */
  readonly epoch: number
}

/** A delivery that is to be sent now. */
export interface Due {
  readonly id: string
  readonly messageId: string
  readonly sequence: number | null
  readonly trigger: Trigger
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly tries: number
  readonly nextAttemptAtMs: number | null
  readonly epoch: number
}

/** What is due on a lane. */
interface Found {
  readonly due: Due[]
  /** There is no more. */
  readonly isAll: boolean
}

interface Asked {
  readonly id: string
  readonly isOrdered: boolean
}

/** How many lanes one statement asks for; few sizes, so that statements stay prepared. */
const SIZES = [1, 8, 32, 128, 256] as const
export const LANES_PER_READ = 128
/** Above this the lanes are asked for one by one. */
const ROWS_TOGETHER = 1_024

interface Row {
  readonly id: string
  readonly subscription_id: string
  readonly message_id: string
  readonly with_entry: number
  readonly sequence: number | null
  readonly next_trigger: Trigger
  readonly status: DeliveryStatus
  readonly attempt_count: number
  readonly tries: number
  readonly due_at: number
  readonly next_attempt_at: number | null
  readonly epoch: number
}

interface OrderedRow extends Row {
  readonly lane_epoch: number
  readonly is_due: number
}

const COLUMNS = [
  'webhooks_deliveries.id',
  'webhooks_deliveries.subscription_id',
  'webhooks_deliveries.message_id',
  'webhooks_deliveries.with_entry',
  'webhooks_deliveries.sequence',
  'webhooks_deliveries.next_trigger',
  'webhooks_deliveries.status',
  'webhooks_deliveries.attempt_count',
  'webhooks_deliveries.tries',
  'webhooks_deliveries.due_at',
  'webhooks_deliveries.next_attempt_at',
  'webhooks_deliveries.epoch',
] as const

/** What waits on lanes, and where it goes. */
export function createDueReader({ dialect, main }: Database) {
  const reader: Kysely<WebhooksTables> = main.reader
  const prepared = new Map<string, CompiledQuery<Row>>()
  /** The last read found more than is read together. */
  let isMuch = false
  return { findDue, findTargets }

  /**
   * What is due on each lane, at most `perLane` scheduled deliveries and as many others: the first
   * ones where there are more. Only so much is read, however much waits behind it.
   */
  async function findDue(lanes: readonly Asked[], perLane: number): Promise<Map<string, Found>> {
    const [inOrder, others] = await Promise.all([
      Promise.all(lanes.filter(({ isOrdered }) => isOrdered).map(({ id }) => inSequence(id))),
      findByTime(
        lanes.flatMap(({ id, isOrdered }) => (isOrdered ? [] : [id])),
        perLane,
      ),
    ])
    return new Map([...inOrder, ...others])

    async function inSequence(id: string) {
      return [id, await findInSequence(id, perLane)] as const
    }
  }

  async function findByTime(ids: readonly string[], perLane: number) {
    if (ids.length === 0) return []
    const rows = (await findFew(ids)) ?? (await findHeads(ids, perLane))
    isMuch = rows.length >= ROWS_TOGETHER / 2
    const sorted = rows.sort((a, b) => a.due_at - b.due_at || (a.sequence ?? 0) - (b.sequence ?? 0))
    const byLane = Map.groupBy(sorted, (row) => row.subscription_id)
    return ids.map((id) => {
      const own = byLane.get(id) ?? []
      const due = own.slice(0, 2 * perLane).map(toDue)
      return [id, { due, isAll: due.length < perLane }] as const
    })
  }

  /**
   * On an ordered lane: the open deliveries by sequence, up to the first that has to wait. Tests and
   * manual attempts have no order and come first.
   */
  async function findInSequence(id: string, limit: number): Promise<Found> {
    const own = reader
      .selectFrom('webhooks_deliveries')
      .innerJoin(
        'webhooks_lanes',
        'webhooks_lanes.subscription_id',
        'webhooks_deliveries.subscription_id',
      )
      .select(COLUMNS)
      .select('webhooks_lanes.epoch as lane_epoch')
      .select(sql<number>`case when ${isDue()} then 1 else 0 end`.as('is_due'))
      .where('webhooks_deliveries.subscription_id', '=', id)
      .limit(limit)
    const [always, open] = await Promise.all([
      own
        .where('webhooks_deliveries.epoch', '=', ALWAYS)
        .where(isDue())
        .orderBy('webhooks_deliveries.due_at')
        .$castTo<OrderedRow>()
        .execute(),
      own
        // Written out and not bound, because a partial index is chosen by it.
        .where('status', '=', sql.lit('pending'))
        .where('is_test', '=', 0)
        .where(isNotCancelled())
        .orderBy('sequence')
        .$castTo<OrderedRow>()
        .execute(),
    ])
    const waits = open.findIndex((row) => row.epoch !== row.lane_epoch || row.is_due === 0)
    const run = waits < 0 ? open : open.slice(0, waits)
    const isAll = always.length < limit && (waits >= 0 || open.length < limit)
    return { due: [...always, ...run].map(toDue), isAll }
  }

  function isDue() {
    return sql<boolean>`webhooks_deliveries.due_at <= ${dialect.nowMs()}`
  }

  /** Most often little is due: one statement, in no order. Undefined when it is much. */
  async function findFew(ids: readonly string[]): Promise<Row[] | undefined> {
    if (isMuch) return undefined
    const rows = await reader
      .selectFrom('webhooks_lanes')
      .innerJoin('webhooks_deliveries', (join) =>
        join
          .onRef('webhooks_deliveries.subscription_id', '=', 'webhooks_lanes.subscription_id')
          .on(sql<boolean>`webhooks_deliveries.epoch in (webhooks_lanes.epoch, ${ALWAYS})`),
      )
      .select(COLUMNS)
      .where('webhooks_lanes.subscription_id', 'in', padded(ids))
      .where('webhooks_deliveries.due_at', 'is not', null)
      .where('webhooks_deliveries.due_at', '<=', dialect.nowMs())
      .limit(ROWS_TOGETHER)
      .$castTo<Row>()
      .execute()
    return rows.length < ROWS_TOGETHER ? rows : undefined
  }

  /** The head of each lane by itself, so that a long one takes nothing from the others. */
  async function findHeads(ids: readonly string[], perLane: number): Promise<Row[]> {
    const { sql: text, parameters, ...rest } = prepare(padded(ids).length, perLane)
    const values = padded(ids).flatMap((id) => [id, id, id])
    let next = 0
    const filled = parameters.map((value) => (value === ID ? (values[next++] ?? '') : value))
    const { rows }: QueryResult<Row> = await reader.executeQuery({
      ...rest,
      sql: text,
      parameters: filled,
    })
    return rows
  }

  /** Compiled once for each size: building it anew would cost more than running it. */
  function prepare(size: number, perLane: number): CompiledQuery<Row> {
    const name = `${size} ${perLane} ${dialect.nowMs().compile(reader).parameters.join()}`
    const found = prepared.get(name)
    if (found) return found
    if (prepared.size > 100) prepared.clear()
    const parts = Array.from({ length: size }, () => [head(ALWAYS), head(undefined)]).flat()
    const [first, ...others] = parts
    if (!first) throw new Error('no lanes')
    const query = others.reduce((all, part) => all.unionAll(part), first)
    const compiled = query.$castTo<Row>().compile()
    prepared.set(name, compiled)
    return compiled

    function head(epoch: number | undefined) {
      return reader
        .selectFrom((from) =>
          from
            .selectFrom('webhooks_deliveries')
            .select(COLUMNS)
            .where('webhooks_deliveries.subscription_id', '=', ID)
            .where(
              'epoch',
              '=',
              epoch ??
                sql<number>`(select epoch from webhooks_lanes where subscription_id = ${ID})`,
            )
            .where('due_at', 'is not', null)
            .where('due_at', '<=', dialect.nowMs())
            .orderBy('due_at')
            .limit(perLane)
            .as('head'),
        )
        .selectAll()
    }
  }

  async function findTargets(ids: readonly string[]): Promise<Map<string, Target>> {
    if (ids.length === 0) return new Map()
    const rows = await reader
      .selectFrom('webhooks_subscriptions')
      .innerJoin('webhooks_lanes', 'webhooks_lanes.subscription_id', 'webhooks_subscriptions.id')
      .select(['id', 'endpoint_url', 'headers', 'timeout_seconds', 'release_at', 'epoch'])
      .select(['is_ordered', 'max_per_second'])
      .select(sql<number | null>`next_send_at - ${dialect.nowMs()}`.as('sends_in'))
      .select(['secret', 'secret_old', 'secret_old_until'])
      .where('id', 'in', padded(ids))
      .execute()
    return new Map(
      rows.map((row) => [
        row.id,
        {
          url: row.endpoint_url,
          headers: JSON.parse(row.headers),
          timeoutMs: row.timeout_seconds * 1000,
          sealed: toSealed(row),
          isUnholding: row.release_at !== null,
          isOrdered: row.is_ordered === 1,
          spacingMs: row.max_per_second === null ? 0 : 1000 / row.max_per_second,
          sendsInMs: row.sends_in ?? 0,
          epoch: row.epoch,
        },
      ]),
    )
  }
}

/** Not one of those that were given up when the subscription was reactivated. */
export function isNotCancelled() {
  return sql<boolean>`(webhooks_deliveries.epoch = ${ALWAYS}
    or webhooks_deliveries.epoch >= webhooks_lanes.cancelled_epoch)`
}

export type DueReader = ReturnType<typeof createDueReader>

/** Stands for the id of a lane until the statement is used; no id looks like it. */
const ID = '<lane>'

/** An empty id names no lane. */
function padded(ids: readonly string[]): string[] {
  const size = SIZES.find((one) => one >= ids.length) ?? ids.length
  return Array.from({ length: size }, (_, at) => ids[at] ?? '')
}

function toDue(row: Row): Due {
  return {
    id: row.id,
    messageId: messageIdOf(row.message_id, row.with_entry === 1),
    sequence: row.sequence,
    trigger: row.next_trigger,
    status: row.status,
    attemptCount: row.attempt_count,
    tries: row.tries,
    nextAttemptAtMs: row.next_attempt_at,
    epoch: row.epoch,
  }
}
