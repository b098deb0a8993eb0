import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { backoffMs } from '#jobs'
import {
  type Actor,
  DomainError,
  type ErrorKind,
  isObject,
  type Log,
  parseExactJson,
  type Random,
} from '#kernel'
import type { Products, Saved } from '../products/products.ts'
import type { Store } from '../products/stores.ts'
import { productOf } from './elements.ts'
import { type createOutcomes, type Ended, isOvertaken, rejectedOutcome } from './outcomes.ts'
import { type DueOperation, findData } from './store.ts'
import { type BulksTables, type OperationAction, STATUS } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly log: Log
  readonly random: Random
  readonly outcomes: Pick<ReturnType<typeof createOutcomes>, 'record'>
  readonly products: Pick<Products, 'saveAll' | 'remove' | 'find'>
  /** Undefined when the locale of the store was removed since. */
  findStore(code: string | null): Store | undefined
}

interface Failure {
  readonly operation: DueOperation
  readonly error: unknown
}

/** Storage that is busy is asked again so many times. */
const TRIES = 3
const PAUSES = { firstMs: 200, maxMs: 2_000 }
/** Products that exist are written one by one, so many at the same time. */
const AT_ONCE = 25

/** Carries operations out, each in one transaction with its status and its message: one that fails fails alone. */
export function createCarryOut({ db, log, random, outcomes, products, findStore }: Deps) {
  const reader: Kysely<BulksTables> = db.main.reader
  return { carryOut }

  /** Of one bulk and of different SKUs. */
  async function carryOut(group: readonly DueOperation[]): Promise<void> {
    const rejected = group.filter(({ status }) => status === STATUS.rejected)
    await recordAll(rejected.map(rejectedOutcome))
    let open = group.filter(({ status }) => status === STATUS.open)
    for (let attempt = 1; open.length > 0; attempt++) {
      // What is tried again goes alone: one that makes the storage fail must not keep its neighbours from ending.
      const failures = attempt === 1 ? await tryAll(open) : await tryEach(open)
      const busy = failures.filter(({ error }) => isBusy(error))
      const isLast = attempt === TRIES
      await fail(isLast ? failures : failures.filter(({ error }) => !isBusy(error)))
      if (isLast || busy.length === 0) return
      open = busy.map(({ operation }) => operation)
      await delay(backoffMs(attempt, PAUSES, random))
    }
  }

  async function tryEach(operations: readonly DueOperation[]): Promise<readonly Failure[]> {
    const failures: Failure[] = []
    for (const operation of operations) failures.push(...(await tryAll([operation])))
    return failures
  }

  async function tryAll(operations: readonly DueOperation[]): Promise<readonly Failure[]> {
    const [first] = operations
    if (!first) return []
    const store = findStore(first.store)
    if (!store) {
      const message = `There is no store ${first.store} any more.`
      const error = new DomainError('invalid', 'unknown_store', message)
      return operations.map((operation) => ({ operation, error }))
    }
    const results = await changeAll(actorOf(first), store, operations)
    return operations.flatMap((operation, at) => {
      const result = results[at]
      if (!result || 'value' in result || isOvertaken(result.error)) return []
      return [{ operation, error: result.error }]
    })
  }

  /** What fails for all of them, such as a content type that is gone, is the failure of each. */
  async function changeAll(actor: Actor, store: Store, operations: readonly DueOperation[]) {
    try {
      if (operations[0]?.method === 'DELETE') return await removeAll(actor, store, operations)
      return await saveAll(actor, store, operations)
    } catch (error) {
      return operations.map(() => ({ error }))
    }
  }

  async function saveAll(actor: Actor, store: Store, operations: readonly DueOperation[]) {
    const data = await findData(reader, operations)
    const items = operations.map((operation) => ({
      product: productIn(data.get(operation.id) ?? ''),
      sku: operation.sku ?? undefined,
      alongside: complete(operation, ({ created }) => (created ? 'create' : 'update')),
    }))
    return products.saveAll(actor, store, items, AT_ONCE)
  }

  async function removeAll(actor: Actor, store: Store, operations: readonly DueOperation[]) {
    const results: ({ value: Saved } | { error: unknown })[] = []
    for (let from = 0; from < operations.length; from += AT_ONCE) {
      const some = operations.slice(from, from + AT_ONCE).map(async (operation) => {
        const alongside = complete(operation, () => 'delete')
        try {
          return { value: await products.remove(actor, store, operation.sku ?? '', { alongside }) }
        } catch (error) {
          return { error }
        }
      })
      results.push(...(await Promise.all(some)))
    }
    return results
  }

  /** What belongs into the transaction of the change. */
  function complete(operation: DueOperation, actionOf: (saved: Saved) => OperationAction) {
    return (tx: Parameters<typeof outcomes.record>[0], saved: Saved) =>
      outcomes.record(tx, [
        {
          ...{ operation, status: STATUS.complete, action: actionOf(saved), productId: saved.id },
          ...{ message: '', errorCode: null },
        },
      ])
  }

  async function fail(failures: readonly Failure[]) {
    if (failures.length === 0) return
    const known = await knownProducts(failures)
    await recordAll(failures.map(({ operation, error }) => toFailed(operation, error, known)))
  }

  /** Whether a change that failed was of a product that exists decides what it is called. */
  async function knownProducts(failures: readonly Failure[]): Promise<ReadonlyMap<string, number>> {
    const skus = failures.flatMap(({ operation }) => operation.sku ?? [])
    const store = findStore(failures[0]?.operation.store ?? null)
    if (!store) return new Map()
    try {
      const { bySku } = await products.find(store, skus)
      return new Map([...bySku].map(([sku, { id }]) => [sku, id]))
    } catch (error) {
      if (error instanceof DomainError) return new Map()
      throw error
    }
  }

  function toFailed(
    operation: DueOperation,
    error: unknown,
    known: ReadonlyMap<string, number>,
  ): Ended {
    const productId = known.get(operation.sku ?? '') ?? null
    const isRetriable = isBusy(error)
    const isForeseen = error instanceof DomainError || db.dialect.isUnavailable(error)
    if (!isForeseen) log.error({ err: error, bulk: operation.bulkUuid }, 'an operation failed')
    const saved = productId === null ? 'create' : 'update'
    return {
      operation,
      status: isRetriable ? STATUS.retriable : STATUS.failed,
      action: operation.method === 'DELETE' ? 'delete' : saved,
      message: error instanceof DomainError ? error.message : UNFORESEEN,
      errorCode: error instanceof DomainError ? (CODES[error.kind] ?? 400) : 500,
      productId,
    }
  }

  /** Of one bulk. */
  async function recordAll(list: readonly Ended[]) {
    if (list.length === 0) return
    try {
      await db.main.write(async (tx) => {
        await outcomes.record(tx, list)
        return () => {}
      })
    } catch (error) {
      if (!isOvertaken(error)) throw error
    }
  }

  /** Nothing is wrong with the operation itself. */
  function isBusy(error: unknown): boolean {
    if (error instanceof DomainError) return error.kind === 'unavailable' || isRace(error)
    return true
  }
}

/** Others kept writing the same product. */
function isRace({ kind, issues }: DomainError): boolean {
  return kind === 'stale' || (kind === 'conflict' && issues.length === 0)
}

const UNFORESEEN = 'The product could not be stored just now; retry the operation.'

/** As a request for the same change would be answered. */
const CODES: Readonly<Partial<Record<ErrorKind, number>>> = {
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  stale: 409,
  unprocessable: 422,
  unavailable: 503,
}

function productIn(data: string): Readonly<Record<string, unknown>> {
  const element = parseExactJson(data)
  return isObject(element) ? productOf(element) : {}
}

function actorOf({ userId, consumerId, access }: DueOperation): Actor {
  return { userId, consumerId, access, apiKeyId: null, planId: null, kind: 'key' }
}
