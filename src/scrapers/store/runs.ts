import {
  type Expression,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { WriteStep } from '#db'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Codec } from '../codec.ts'
import type { Definition } from '../definition/definition.ts'
import type {
  FinalStatus,
  FinishReason,
  Run,
  RunCounts,
  RunError,
  RunErrorCode,
  RunStatus,
  Trigger,
} from '../records.ts'
import type { ScrapersTables } from '../tables.ts'

type Db = Kysely<ScrapersTables>
type Trx = Transaction<ScrapersTables>
type RunRow = Selectable<ScrapersTables['scrapers_runs']>

const LIVE = ['pending', 'running']

export interface RunFilter {
  readonly scraperId: number
  readonly status: string | undefined
  readonly trigger: string | undefined
  readonly createdFromMs: number | undefined
}

export interface Finish {
  readonly status: FinalStatus
  readonly reason: FinishReason
  readonly error: RunError | null
  readonly atMs: number
}

export function createRunStore(codec: Codec) {
  return {
    insert,
    find,
    findLive,
    findWaiting,
    findLatest,
    findMany,
    findLastCompleted,
    requestStop,
    beginStep,
    giveBack,
    countStep,
    missingStep,
    finish,
    finishStep,
    remove,
    toRun,
  }

  /** A second live run of a scraper violates the unique index. */
  async function insert(
    db: Trx,
    run: {
      readonly scraperId: number
      readonly trigger: Trigger
      readonly definition: Definition
      readonly startedAtMs: number
      readonly previousId: number | null
    },
  ): Promise<Run> {
    const row = await db
      .insertInto('scrapers_runs')
      .values({
        scraper_id: run.scraperId,
        status: 'pending',
        trigger_name: run.trigger,
        config: codec.write(run.definition),
        started_at: run.startedAtMs,
        previous_id: run.previousId,
        removed_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return toRun(row)
  }

  async function find(db: Db, scraperId: number, id: number): Promise<Run | undefined> {
    const row = await of(db, scraperId).selectAll().where('id', '=', id).executeTakeFirst()
    return row && toRun(row)
  }

  async function findLive(db: Db, scraperId: number): Promise<Run | undefined> {
    const row = await of(db, scraperId).selectAll().where('status', 'in', LIVE).executeTakeFirst()
    return row && toRun(row)
  }

  /** Runs that nobody works on, of each user the oldest; `lostBy` is who neither ended nor gave back its own. */
  function findWaiting(db: Db, isFree: Expression<SqlBool>, mostOfUser: number) {
    return db
      .selectFrom((from) =>
        from
          .selectFrom('scrapers_runs')
          .innerJoin('scrapers_scrapers', 'scrapers_scrapers.id', 'scrapers_runs.scraper_id')
          .select(({ fn }) => [
            'scrapers_runs.id as id',
            'scrapers_scrapers.user_id as userId',
            'scrapers_runs.lease_owner as lostBy',
            fn
              .agg<number>('row_number')
              .over((over) => over.partitionBy('user_id').orderBy('scrapers_runs.id'))
              .as('nth'),
          ])
          .where('scrapers_runs.status', 'in', LIVE)
          .where(isFree)
          .as('waiting'),
      )
      .select(['id', 'userId', 'lostBy'])
      .where('nth', '<=', mostOfUser)
      .execute()
  }

  async function findLatest(db: Db, scraperId: number): Promise<Run | undefined> {
    const row = await of(db, scraperId)
      .selectAll()
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && toRun(row)
  }

  /** What the items of a new run are compared with. */
  async function findLastCompleted(db: Db, scraperId: number): Promise<number | null> {
    const row = await of(db, scraperId)
      .select('id')
      .where('status', '=', 'completed')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.id ?? null
  }

  async function findMany(
    db: Db,
    { scraperId, status, trigger, createdFromMs }: RunFilter,
    list: ListQuery<'id'>,
  ): Promise<FoundPage<Run>> {
    const filtered = of(db, scraperId)
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? ''))
      .$if(trigger !== undefined, (query) => query.where('trigger_name', '=', trigger ?? ''))
      .$if(createdFromMs !== undefined, (query) =>
        query.where('started_at', '>=', createdFromMs ?? 0),
      )
    const page = await findPage(filtered, (query) => query.selectAll(), list, { id: 'id' })
    return { ...page, rows: page.rows.map(toRun) }
  }

  /** Answers whether a worker has the run in its hands; the statement locks the row. */
  async function requestStop(
    db: Trx,
    id: number,
    nowMs: Expression<number>,
  ): Promise<{ readonly isHeld: boolean } | undefined> {
    const row = await db
      .updateTable('scrapers_runs')
      .set({ stop_requested: 1 })
      .where('id', '=', id)
      .where('status', 'in', LIVE)
      .returning(['status', sql<number | boolean>`lease_until > ${nowMs}`.as('is_held')])
      .executeTakeFirst()
    return row && { isHeld: Boolean(row.is_held) }
  }

  /** From pending to running, or again after its worker was lost; unless it is not ours. */
  function beginStep(
    db: Db,
    id: number,
    holder: string,
    change: { readonly atMs: number; readonly isRecovery: boolean },
  ): WriteStep {
    const query = db
      .updateTable('scrapers_runs')
      .set((row) => ({
        status: 'running',
        executing_at: row.fn.coalesce('executing_at', sql<number>`${change.atMs}`),
        ...(change.isRecovery
          ? {
              recoveries: sql<number>`recoveries + 1`,
              idle_recoveries: sql<number>`case when pages_fetched > pages_at_recovery then 1 else idle_recoveries + 1 end`,
              pages_at_recovery: sql<number>`pages_fetched`,
            }
          : {}),
      }))
      .where('id', '=', id)
      .where('lease_owner', '=', holder)
      .where('status', 'in', LIVE)
    return { query, mustChange: true }
  }

  /** For others to go on with at once. Its worker was not lost, so that beginning again counts as no recovery in vain. */
  async function giveBack(db: Db, id: number, holder: string): Promise<void> {
    await db
      .updateTable('scrapers_runs')
      .set((row) => ({
        lease_owner: null,
        lease_until: null,
        idle_recoveries: row('idle_recoveries', '-', 1),
      }))
      .where('id', '=', id)
      .where('lease_owner', '=', holder)
      .execute()
  }

  /** Changes nothing when the run is no longer this holder's: then nothing of the page may be written. */
  function countStep(
    db: Db,
    id: number,
    holder: string,
    counts: Partial<RunCounts> & { readonly activeMs: number },
  ): WriteStep {
    const added = Object.entries(COLUMNS).flatMap(([name, column]) => {
      const value = new Map<string, number>(Object.entries(counts)).get(name) ?? 0
      return value === 0 ? [] : [[column, sql<number>`${sql.ref(column)} + ${value}`] as const]
    })
    const query = db
      .updateTable('scrapers_runs')
      .set({ ...Object.fromEntries(added), active_ms: sql<number>`active_ms + ${counts.activeMs}` })
      .where('id', '=', id)
      .where('lease_owner', '=', holder)
      .where('status', '=', 'running')
    return { query, mustChange: true }
  }

  function missingStep(db: Db, id: number, count: number): WriteStep {
    const query = db.updateTable('scrapers_runs').set({ items_missing: count }).where('id', '=', id)
    return { query }
  }

  /** Undefined when it had ended already: final states never change. */
  async function finish(db: Trx, id: number, end: Finish): Promise<Run | undefined> {
    const row = await ending(db, id, end).returningAll().executeTakeFirst()
    return row && toRun(row)
  }

  /** The same for the worker that has the run in its hands. */
  function finishStep(db: Db, id: number, end: Finish, holder: string): WriteStep {
    return { query: ending(db, id, end).where('lease_owner', '=', holder), mustChange: true }
  }

  function ending(db: Db, id: number, { status, reason, error, atMs }: Finish) {
    return db
      .updateTable('scrapers_runs')
      .set({
        status,
        finish_reason: reason,
        error_code: error?.code ?? null,
        error_message: error?.message ?? null,
        finished_at: atMs,
        lease_owner: null,
        lease_until: null,
      })
      .where('id', '=', id)
      .where('status', 'in', LIVE)
  }

  /** Gone for its owner; the worker removes what belongs to it in small steps. */
  async function remove(db: Trx, id: number, atMs: number): Promise<void> {
    await db.updateTable('scrapers_runs').set({ removed_at: atMs }).where('id', '=', id).execute()
  }

  function of(db: Db, scraperId: number) {
    return db
      .selectFrom('scrapers_runs')
      .where('scraper_id', '=', scraperId)
      .where('removed_at', 'is', null)
  }

  function toRun(row: RunRow): Run {
    return {
      id: row.id,
      scraperId: row.scraper_id,
      status: oneOf(STATUSES, row.status),
      trigger: oneOf(TRIGGERS, row.trigger_name),
      definition: codec.read(row.config),
      startedAtMs: row.started_at,
      executingAtMs: row.executing_at,
      finishedAtMs: row.finished_at,
      finishReason: row.finish_reason === null ? null : oneOf(REASONS, row.finish_reason),
      error: toError(row),
      recoveries: row.recoveries,
      activeMs: row.active_ms,
      previousId: row.previous_id,
      isStopRequested: row.stop_requested === 1,
      itemsCollected: row.items_collected,
      pagesFetched: row.pages_fetched,
      pagesFailed: row.pages_failed,
      pagesSkipped: row.pages_skipped,
      pagesQueued: row.pages_queued,
      retries: row.retries,
      bytesDownloaded: row.bytes_downloaded,
      itemsNew: row.items_new,
      itemsChanged: row.items_changed,
      itemsUnchanged: row.items_unchanged,
      itemsMissing: row.items_missing,
    }
  }
}

export type RunStore = ReturnType<typeof createRunStore>

const COLUMNS: Record<keyof RunCounts, string> = {
  itemsCollected: 'items_collected',
  pagesFetched: 'pages_fetched',
  pagesFailed: 'pages_failed',
  pagesSkipped: 'pages_skipped',
  pagesQueued: 'pages_queued',
  retries: 'retries',
  bytesDownloaded: 'bytes_downloaded',
  itemsNew: 'items_new',
  itemsChanged: 'items_changed',
  itemsUnchanged: 'items_unchanged',
  itemsMissing: 'items_missing',
}

const STATUSES: readonly RunStatus[] = ['pending', 'running', 'completed', 'failed', 'stopped']
const TRIGGERS: readonly Trigger[] = ['manual', 'schedule']
const REASONS: readonly FinishReason[] = [
  ...(['exhausted', 'max_pages', 'max_items', 'max_duration', 'stopped', 'error'] as const),
]
const ERRORS: readonly RunErrorCode[] = [
  'start_url_failed',
  'robots_disallowed',
  'address_not_allowed',
  'no_proxy_available',
  'owner_not_allowed',
  'renderer_unavailable',
  'worker_lost',
  'internal_error',
]

function toError({ error_code, error_message }: RunRow): RunError | null {
  if (error_code === null) return null
  return { code: oneOf(ERRORS, error_code), message: error_message ?? '' }
}

function oneOf<Value extends string>(values: readonly Value[], text: string): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new Error(`${text} is not one of ${values.join(', ')}`)
  return found
}
