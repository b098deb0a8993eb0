import { setImmediate as immediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Alongside, Database } from '#db'
import type { Actor, Clock, Ids } from '#kernel'
import { type Element, listOf, parseElement } from './elements.ts'
import { acceptBulk, insertBulk, insertOperations } from './store.ts'
import type { BulkMethod, BulksTables } from './tables.ts'
import { DUE_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish'>
  readonly maxBulkItems: number
}

export interface NewBulk {
  readonly method: BulkMethod
  /** The store code, of which every operation is; null: that of the default locale. */
  readonly store: string | null
  readonly userType: 1 | 2
  readonly body: unknown
  /** The SKU in the path of a request for one product. */
  readonly sku?: string | undefined
  /** Gives members of products the names they have here, whichever of the dialect's spellings they came in. */
  rename(sent: unknown): unknown
}

export interface Accepted {
  readonly uuid: string
  /** By their place in the request. */
  readonly elements: readonly Element[]
}

/** So many rows keep the writer of SQLite for a few milliseconds. */
const ROWS_AT_ONCE = 250
/** Of their data, which is copied on its way to the writer. */
const TEXT_AT_ONCE = 1024 * 1024
/** One is written while the next ones are made. */
const PIECES_AT_ONCE = 3

/**
 * Takes bulks in. Operations are stored piece by piece, so that no other writer waits for long, and appear together
 * by the one commit at the end; what a kill leaves before it is never seen, and removed by the worker.
 */
export function createAcceptance({ db, clock, ids, bus, maxBulkItems }: Deps) {
  const writer: Kysely<BulksTables> = db.main.writer
  return { accept }

  /** `once`: does the work in however many tries of one request, as `once` of the kernel. */
  async function accept(
    actor: Actor,
    bulk: NewBulk,
    once: (work: (keep?: Alongside<unknown>) => Promise<string>) => Promise<string>,
  ): Promise<Accepted> {
    const elements = await parseAll(bulk)
    const uuid = await once((keep) => store(actor, bulk, elements, keep))
    return { uuid, elements }
  }

  async function parseAll({ body, sku, rename }: NewBulk): Promise<Element[]> {
    const elements: Element[] = []
    for (const [at, sent] of listOf(body, maxBulkItems).entries()) {
      elements.push(parseElement(sent, { sku, rename }))
      // So many to check must not keep other requests waiting.
      if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await immediate()
    }
    return elements
  }

  async function store(
    actor: Actor,
    { method, store, userType }: NewBulk,
    elements: readonly Element[],
    keep: Alongside<unknown> | undefined,
  ): Promise<string> {
    const uuid = ids.uuid()
    const startedAtMs = clock.now()
    const no = await insertBulk(writer, {
      ...{ uuid, method, store, user_type: userType, started_at: startedAtMs },
      ...{ user_id: actor.userId, consumer_id: actor.consumerId, access: actor.access },
      operation_count: elements.length,
    })
    await eachOf(piecesOf(elements), PIECES_AT_ONCE, async ({ from, piece }) => {
      await db.main.carryOut(insertOperations(writer, { no, startedAtMs, from }, piece))
    })
    await db.main.write(async (tx) => {
      await acceptBulk(tx.as<BulksTables>(), no, clock.now())
      await keep?.(tx, uuid)
      tx.afterCommit(() => bus.publish(DUE_TOPIC, null))
      return () => {}
    })
    return uuid
  }
}

/** Each is cut off when it is asked for: one after the other they need the memory of one. */
function* piecesOf(elements: readonly Element[]) {
  for (let from = 0, to = 0; from < elements.length; from = to) {
    let size = 0
    while (to < elements.length && to < from + ROWS_AT_ONCE && size < TEXT_AT_ONCE) {
      size += elements[to++]?.data.length ?? 0
    }
    yield { from, piece: elements.slice(from, to) }
  }
}

/** Works on all items, so many at the same time. */
async function eachOf<Item>(
  left: IterableIterator<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item)
    }),
  )
}
