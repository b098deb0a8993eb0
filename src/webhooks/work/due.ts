import { type CompiledQuery, type Kysely, type QueryResult, sql } from 'kysely'
import type { Database } from '#kernel'
import { ALWAYS } from '../records.ts'
import { toSealed } from '../store/subscriptions.ts'
import type { DeliveryStatus, Trigger, WebhooksTables } from '../tables.ts'
import type { Due, Target } from './types.ts'

/** How many lanes one statement asks for; few sizes, so that statements stay prepared. */
const SIZES = [1, 8, 32] as const
export const LANES_PER_READ = 32

interface Row {
  readonly id: string
  readonly subscription_id: string
  readonly message_id: string
  readonly sequence: number | null
  readonly next_trigger: Trigger
  readonly status: DeliveryStatus
  readonly attempt_count: number
  readonly tries: number
  readonly next_attempt_at: number | null
}

/** What waits on lanes, and where it goes. */
export function createDueReader({ dialect, main }: Database) {
  const reader: Kysely<WebhooksTables> = main.reader
  const prepared = new Map<string, CompiledQuery<Row>>()
  return { findDue, findTargets }

  /**
   * The first due deliveries of each lane, at most `perLane` scheduled and as many others. Only the
   * head of each lane is read, however much waits behind it.
   */
  async function findDue(ids: readonly string[], perLane: number): Promise<Map<string, Due[]>> {
    const size = SIZES.find((one) => one >= ids.length) ?? LANES_PER_READ
    // An empty id names no lane.
    const padded = Array.from({ length: size }, (_, at) => ids[at] ?? '')
    const { sql: text, parameters, ...rest } = prepare(size, perLane)
    const values = padded.flatMap((id) => [id, id, id])
    let next = 0
    const filled = parameters.map((value) => (value === ID ? (values[next++] ?? '') : value))
    const { rows }: QueryResult<Row> = await reader.executeQuery({
      ...rest,
      sql: text,
      parameters: filled,
    })
    return Map.groupBy(rows.map(toDue), ({ laneId }) => laneId)
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
    const compiled = query.compile()
    prepared.set(name, compiled)
    return compiled

    function head(epoch: number | undefined) {
      return reader
        .selectFrom((from) =>
          from
            .selectFrom('webhooks_deliveries')
            .select(['id', 'subscription_id', 'message_id', 'sequence', 'next_trigger', 'status'])
            .select(['attempt_count', 'tries', 'next_attempt_at'])
            .where('subscription_id', '=', ID)
            .where(
              'epoch',
              '=',
              epoch ??
                sql<number>`(select epoch from webhooks_lanes where subscription_id = ${ID})`,
            )
            .where('due_at', 'is not', null)
            .where('due_at', '<=', dialect.nowMs())
            .orderBy('due_at')
            .orderBy('sequence')
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
      .select(['id', 'endpoint_url', 'headers', 'timeout_seconds'])
      .select(['secret', 'secret_old', 'secret_old_until'])
      .where('id', 'in', ids)
      .execute()
    return new Map(
      rows.map((row) => [
        row.id,
        {
          url: row.endpoint_url,
          headers: JSON.parse(row.headers),
          timeoutMs: row.timeout_seconds * 1000,
          sealed: toSealed(row),
        },
      ]),
    )
  }
}

export type DueReader = ReturnType<typeof createDueReader>

/** Stands for the id of a lane until the statement is used; no id looks like it. */
const ID = '<lane>'

function toDue(row: Row): Due & { readonly laneId: string } {
  return {
    laneId: row.subscription_id,
    id: row.id,
    messageId: row.message_id,
    sequence: row.sequence,
    trigger: row.next_trigger,
    status: row.status,
    attemptCount: row.attempt_count,
    tries: row.tries,
    nextAttemptAtMs: row.next_attempt_at,
  }
}
