import { setImmediate as immediate } from 'node:timers/promises'
import type { EntryTarget } from '#content'
import { againAfterDeadlock, type Tx } from '#db'
import { conflict, invalid, isUuid, notFound } from '#kernel'
import { type Body, naming, needsCurrent, parseBody, unwrap } from '../body/parse.ts'
import type { RestDeps } from '../deps.ts'
import { createFinder } from '../read/find.ts'
import { type Asked, reportIgnored } from '../request.ts'
import { sendJson } from '../routes/sending.ts'
import type { Address } from '../target.ts'
import type { Writing } from '../write.ts'
import {
  type BulkRequest,
  failed,
  type Operation,
  type Outcome,
  refuseAll,
  render,
} from './bulk/operations.ts'

/** How long a transaction may take (DESIGN §4); each commit costs too, so no shorter than it must. */
const SHORT_MS = 15
const LONG_MS = 500
const BREATHER = 50
const ATTEMPTS = 10

/** One operation, checked and ready to be carried out. */
type Step = (tx: Tx) => Promise<Omit<Outcome, 'index'>>

/** Many changes of one collection in one request (contract §8). */
export function createBulk(deps: RestDeps, writing: Writing) {
  const { content, transaction, isDeadlock, hasOneWriter } = deps
  const longestMs = hasOneWriter ? SHORT_MS : LONG_MS
  const { entries } = content
  const finder = createFinder(content)
  return { run }

  async function run(asked: Asked, { atomic = false, operations }: BulkRequest) {
    reportIgnored(asked, [])
    const steps: Step[] = []
    for (const [index, operation] of operations.entries()) {
      steps.push(await prepare(asked, operation).catch((error) => () => Promise.reject(error)))
      // So many bodies to check must not keep other requests waiting.
      if (index % BREATHER === BREATHER - 1) await immediate()
    }
    return atomic ? together(asked, operations, steps) : oneByOne(asked, operations, steps)
  }

  async function oneByOne(asked: Asked, operations: readonly Operation[], steps: readonly Step[]) {
    const outcomes: Outcome[] = []
    let limitMs = longestMs
    while (outcomes.length < steps.length) {
      const done = await inTransaction((tx, attempt) => {
        // Who changes one record at a time never holds one that another waits for.
        if (attempt > 1) limitMs = 0
        return some(steps, outcomes.length, tx, limitMs)
      })
      outcomes.push(...done)
    }
    return sendJson(asked.reply, render(operations, outcomes))
  }

  /** As many as fit into one transaction, and at least one; the store undoes each alone. */
  async function some(
    steps: readonly Step[],
    from: number,
    tx: Tx,
    limitMs: number,
  ): Promise<Outcome[]> {
    const startedMs = performance.now()
    const outcomes: Outcome[] = []
    for (const [offset, step] of steps.slice(from).entries()) {
      const index = from + offset
      const outcome = await step(tx)
        .then((done) => ({ index, ...done }))
        .catch((error) => {
          if (isDeadlock(error)) throw error
          return failed(index, error)
        })
      outcomes.push(outcome)
      if (performance.now() - startedMs >= limitMs) break
    }
    return outcomes
  }

  /** The first failure undoes everything, and the list says which one it was. */
  async function together(asked: Asked, operations: readonly Operation[], steps: readonly Step[]) {
    let reached = 0
    try {
      const outcomes = await inTransaction(async (tx) => {
        const done: Outcome[] = []
        for (const [index, step] of steps.entries()) {
          reached = index
          done.push({ index, ...(await step(tx)) })
        }
        return done
      })
      return sendJson(asked.reply, render(operations, outcomes))
    } catch (error) {
      return refuseAll(asked, operations, failed(reached, error))
    }
  }

  /** Bulks that write the same records in another order may have to wait for each other in vain. */
  async function inTransaction<T>(work: (tx: Tx, attempt: number) => Promise<T>): Promise<T> {
    try {
      const once = (attempt: number) => transaction(undefined, (tx) => work(tx, attempt))
      return await againAfterDeadlock({ isDeadlock }, once, ATTEMPTS)
    } catch (error) {
      if (isDeadlock(error)) throw conflict('conflict', 'Others are writing the same records')
      throw error
    }
  }

  /** Everything that needs no transaction, so that other writers do not wait for it. */
  async function prepare(asked: Asked, operation: Operation): Promise<Step> {
    const { actor, resource } = asked
    const { type } = resource
    switch (operation.op) {
      case 'create': {
        const made = await writing.prepareCreation(asked, operation.data)
        return async (tx) => {
          const options = { ...made.options, tx }
          const { entry } = await naming(made, entries.create(actor, type, made.input, options))
          return { status: 201, ...named(asked, entry) }
        }
      }
      case 'upsert': {
        const key = operation.key ?? 'external_id'
        requireKey(key, unwrap(operation.data))
        const made = await writing.prepareCreation(asked, operation.data)
        return async (tx) => {
          const work = entries.upsert(actor, type, key, made.input, { ...made.options, tx })
          const { entry, created, changed } = await naming(made, work)
          return { status: created ? 201 : 200, ...named(asked, entry), ...same(changed) }
        }
      }
      case 'update': {
        const target = targetOf(operation.id)
        const parsed = await parseChange(asked, operation.id, unwrap(operation.data))
        return async (tx) => {
          const work = entries.update(actor, type, target, parsed.input, { mode: 'merge', tx })
          const { entry, changed } = await naming(parsed, work)
          return { status: 200, ...named(asked, entry), ...same(changed) }
        }
      }
      case 'delete': {
        const target = targetOf(operation.id)
        const allLocales = 'documentId' in target
        return async (tx) => {
          const [entry] = await entries.remove(actor, type, target, { allLocales, tx })
          return { status: 204, ...(entry ? named(asked, entry) : {}) }
        }
      }
    }
  }

  async function parseChange(asked: Asked, id: number | string, body: Body) {
    const { model, type, version } = asked.resource
    const isNeeded = needsCurrent(body, type, version)
    const current = isNeeded ? await finder.current(asked, addressOf(id)) : undefined
    if (isNeeded && !current) throw notFound()
    return parseBody(body, { model, type, version, mode: 'change', current })
  }
}

function same(changed: boolean) {
  return changed ? {} : ({ unchanged: true } as const)
}

function requireKey(key: string, data: Body): void {
  if (data[key] !== undefined && data[key] !== null) return
  throw invalid([{ path: [key], rule: 'required', message: `${key} is required to upsert` }])
}

function addressOf(id: number | string): Address {
  if (typeof id === 'string' && isUuid(id))
    return { kind: 'document', documentId: id.toLowerCase() }
  const number = Number(id)
  return Number.isSafeInteger(number) ? { kind: 'id', id: number } : { kind: 'nothing' }
}

function targetOf(id: number | string): EntryTarget {
  const address = addressOf(id)
  if (address.kind === 'document') return { documentId: address.documentId, locale: null }
  if (address.kind !== 'id') throw notFound()
  return { id: address.id }
}

function named({ resource }: Asked, { id, documentId }: { id: number; documentId: string }) {
  return resource.version === 1 ? { id } : { id: documentId, entry_id: id }
}
