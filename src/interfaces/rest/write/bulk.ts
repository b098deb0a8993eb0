import {
  breathe,
  claimsOf,
  createTurns,
  type EntryTarget,
  type Turn,
  type Written,
  type WrittenIds,
} from '#content'
import type { ContentType } from '#content-model'
import { type Alongside, againAfterDeadlock, type Tx } from '#db'
import { type OnceEach, once, onceEach } from '#http'
import { invalid, isObject, isUuid, notFound, unavailable } from '#kernel'
import { type Body, naming, needsCurrent, parseBody, unwrap } from '../body/parse.ts'
import type { RestDeps } from '../deps.ts'
import { parseLocale } from '../query/parse.ts'
import { createFinder } from '../read/find.ts'
import { type Asked, reportIgnored, sendJson, targetOf } from '../request.ts'
import type { Address } from '../target.ts'
import { statusFor, type Writing } from '../write.ts'
import {
  type BulkRequest,
  failed,
  type Operation,
  type Outcome,
  refuseAll,
  render,
} from './bulk/operations.ts'

/** As many as are planned and share a commit in the 20 ms that others may wait (DESIGN §4). */
const TOGETHER = 50
const BREATHER = 50
const CONFLICT = 409
const AFTER_OTHERS = new Set<unknown>(['invalid_reference', 'lost_race'])
const ATTEMPTS = 10
const OTHERS_WRITE = 'Others are writing the same records; try again'

/** One operation, checked and ready to be carried out. */
interface Step {
  run(how: How): Promise<Done>
  /** It makes a record, unless there is one with this key. */
  readonly made?: Creation & { readonly key?: string }
}

type Creation = Awaited<ReturnType<Writing['prepareCreation']>>

type Done = Omit<Outcome, 'index'>

interface How {
  readonly tx?: Tx
  readonly turn?: Turn | undefined
}

/** Many changes of one collection in one request (contract §8). */
export function createBulk(deps: RestDeps, writing: Writing) {
  const { content, transaction, isDeadlock } = deps
  const { entries } = content
  const finder = createFinder(content)
  return { run }

  async function run(asked: Asked, { atomic = false, operations }: BulkRequest) {
    reportIgnored(asked, ['locale', ...(asked.resource.type.draftAndPublish ? ['status'] : [])])
    // All at once has one receipt; one by one each change has its own.
    const each = atomic ? undefined : await onceEach<Done>(asked.request)
    const steps: Step[] = []
    for (const [index, operation] of operations.entries()) {
      steps.push(
        await prepare(asked, operation, index, each).catch((error) => ({
          run: () => Promise.reject(error),
        })),
      )
      // So many bodies to check must not keep other requests waiting.
      if (index % BREATHER === BREATHER - 1) await breathe()
    }
    return atomic ? together(asked, operations, steps) : oneByOne(asked, operations, steps)
  }

  /** Each is a write of its own; those that cannot meet are made at once, in turn, and share plans or commits. */
  async function oneByOne(asked: Asked, operations: readonly Operation[], steps: readonly Step[]) {
    const outcomes: Outcome[] = []
    while (outcomes.length < steps.length) {
      const from = outcomes.length
      const count = countApart(operations.slice(from), asked.resource.type)
      const some = steps.slice(from, from + count)
      const mayMake = some.some((step) => step.made)
      const first = await (mayMake ? made(asked, some, from) : inTurn(asked, some, from))
      outcomes.push(...(await afterOthers(some, first)))
    }
    return sendJson(asked.reply, render(operations, outcomes))
  }

  async function inTurn(
    { actor }: Asked,
    steps: readonly Step[],
    from: number,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (let at = 0; at < steps.length; at += TOGETHER) {
      const some = steps.slice(at, at + TOGETHER)
      const turns = createTurns(some.length)
      const each = (step: Step, n: number) => attempt(step, from + at + n, turns[n])
      outcomes.push(...(await entries.inSlot(actor, () => Promise.all(some.map(each)))))
    }
    return outcomes
  }

  /** New records, or such as may be new, all found by the same key. */
  async function made(asked: Asked, steps: readonly Step[], from: number): Promise<Outcome[]> {
    const { actor, resource } = asked
    const list = steps.flatMap((step) => step.made ?? [])
    const key = list[0]?.key
    const done = await (key === undefined
      ? entries.createAll(actor, resource.type, list)
      : entries.upsertAll(actor, resource.type, key, list))
    const left = done.values()
    const outcomes: Outcome[] = []
    for (const [at, step] of steps.entries()) {
      const one = step.made ? left.next().value : undefined
      if (!one) outcomes.push(await attempt(step, from + at, undefined))
      else if ('value' in one) outcomes.push({ index: from + at, ...madeBy(asked, one.value) })
      else outcomes.push(failed(from + at, step.made?.withWireNames(one.error)))
    }
    return outcomes
  }

  /**
   * What one operation gives up another one behind it may take, and what one makes another one may name, which the
   * plan of that one could not see.
   */
  async function afterOthers(some: readonly Step[], outcomes: readonly Outcome[]) {
    const final: Outcome[] = []
    for (const [at, outcome] of outcomes.entries()) {
      const step = at > 0 && mayHaveWaited(outcome) ? some[at] : undefined
      final.push(step ? await attempt(step, outcome.index, undefined) : outcome)
    }
    return final
  }

  async function attempt(
    { run: work }: Step,
    index: number,
    turn: Turn | undefined,
  ): Promise<Outcome> {
    try {
      return { index, ...(await work({ turn })) }
    } catch (error) {
      return failed(index, error)
    } finally {
      turn?.end()
    }
  }

  /** The first failure undoes everything, and the list says which one it was. */
  async function together(asked: Asked, operations: readonly Operation[], steps: readonly Step[]) {
    let reached = 0
    try {
      const outcomes = await once(asked.request, (keep) =>
        inTransaction(async (tx) => {
          const done: Outcome[] = []
          for (const [index, step] of steps.entries()) {
            reached = index
            done.push({ index, ...(await step.run({ tx })) })
          }
          await keep?.(tx, done)
          return done
        }),
      )
      return sendJson(asked.reply, render(operations, outcomes))
    } catch (error) {
      return refuseAll(asked, operations, failed(reached, error))
    }
  }

  /** Bulks that write the same records in another order may have to wait for each other in vain. */
  async function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await againAfterDeadlock({ isDeadlock }, () => transaction(undefined, work), ATTEMPTS)
    } catch (error) {
      if (isDeadlock(error)) throw unavailable('lost_race', OTHERS_WRITE, error)
      throw error
    }
  }

  /** Everything that needs no transaction, so that other writers do not wait for it. */
  async function prepare(
    asked: Asked,
    operation: Operation,
    index: number,
    each: OnceEach<Done> | undefined,
  ): Promise<Step> {
    const { actor, resource } = asked
    const { type } = resource
    const earlier = each?.find(index)
    if (earlier) return { run: async () => earlier }
    switch (operation.op) {
      case 'create': {
        const made = await writing.prepareCreation(asked, operation.data, index)
        const run = async (how: How) => {
          const options = { ...made.options, ...how }
          const written = await naming(made, entries.create(actor, type, made.input, options))
          return madeBy(asked, written)
        }
        return { run, made }
      }
      case 'upsert': {
        const key = operation.key ?? 'external_id'
        requireKey(key, unwrap(operation.data))
        const made = await writing.prepareCreation(asked, operation.data, index)
        const run = async (how: How) => {
          const work = entries.upsert(actor, type, key, made.input, { ...made.options, ...how })
          return madeBy(asked, await naming(made, work))
        }
        return { run, made: { ...made, key } }
      }
      case 'update': {
        const target = targetIn(asked, operation.id)
        const status = statusFor(asked)
        const parsed = await parseChange(asked, operation.id, unwrap(operation.data))
        const outcome = (written: WrittenIds) => {
          return { status: 200, ...named(asked, written), ...same(written.changed) }
        }
        const alongside = kept(each, index, outcome)
        const run = async (how: How) => {
          const options = { mode: 'merge', status, alongside, ...how } as const
          const work = entries.update(actor, type, target, parsed.input, options)
          const { entry, changed } = await naming(parsed, work)
          return outcome({ ...entry, changed })
        }
        return { run }
      }
      case 'delete': {
        const target = targetIn(asked, operation.id)
        // As outside of bulks: a document id without a language names the document.
        const { kind } = parseLocale(asked.context)
        const allLocales = kind === 'all' || ('documentId' in target && kind === 'default')
        const alongside = kept(each, index, (ids) => ({ status: 204, ...named(asked, ids) }))
        const run = async (how: How) => {
          const options = { allLocales, alongside, ...how }
          const [entry] = await entries.remove(actor, type, target, options)
          return { status: 204, ...(entry ? named(asked, entry) : {}) }
        }
        return { run }
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

/** Writes down with a change what is reported of it: done again it would be a record that is not there. */
function kept(
  each: OnceEach<Done> | undefined,
  index: number,
  toOutcome: (written: WrittenIds) => Done,
): Alongside<WrittenIds> | undefined {
  return each && ((tx, written) => each.keep(tx, index, toOutcome(written)))
}

/** How many operations from the first on are of one kind, certainly of different records, and claim different values. */
function countApart(operations: readonly Operation[], type: ContentType): number {
  const [first] = operations
  if (!first) return 0
  const seen = new Set<string>()
  const claimed = new Set<string>()
  const kind = recordOf(first, 0).by
  const end = operations.findIndex((operation, at) => {
    const { by, record } = recordOf(operation, at)
    if (operation.op !== first.op || by !== kind || seen.has(record)) return true
    seen.add(record)
    const claims = claimsIn(operation, type)
    if (claims.some((claim) => claimed.has(claim))) return true
    for (const claim of claims) claimed.add(claim)
    return false
  })
  return end === -1 ? operations.length : Math.max(1, end)
}

/** What is new takes nothing that another one gives up: among equal ones the first is kept anyway. */
function claimsIn(operation: Operation, type: ContentType): readonly string[] {
  const mayTake = operation.op === 'update' || operation.op === 'upsert'
  return mayTake ? claimsOf(type, unwrap(operation.data)) : []
}

/** A number and a UUID may name the same record, and so may two keys. */
function recordOf(operation: Operation, at: number): { by: string; record: string } {
  if (operation.op === 'create') return { by: 'nothing', record: String(at) }
  if (operation.op === 'upsert') {
    const { key = 'external_id', data } = operation
    return { by: key, record: String(unwrap(data)[key]).toLowerCase() }
  }
  const address = addressOf(operation.id)
  if (address.kind === 'id') return { by: 'id', record: String(address.id) }
  return { by: address.kind, record: String(operation.id).toLowerCase() }
}

function madeBy(asked: Asked, { entry, created = true, changed }: Written & { created?: boolean }) {
  return { status: created ? 201 : 200, ...named(asked, entry), ...same(changed) }
}

/** Refused for the sake of something that another operation of the same request may have changed. */
function mayHaveWaited({ status, error }: Outcome): boolean {
  return status === CONFLICT || (isObject(error) && AFTER_OTHERS.has(error.code))
}

function same(changed: boolean) {
  return changed ? {} : ({ unchanged: true } as const)
}

function requireKey(key: string, data: Body): void {
  if (data[key] !== undefined && data[key] !== null) return
  throw invalid([{ path: [key], rule: 'required', message: `${key} is required to upsert` }])
}

function addressOf(id: number | string): Exclude<Address, { kind: 'single' }> {
  if (typeof id === 'string' && isUuid(id))
    return { kind: 'document', documentId: id.toLowerCase() }
  const number = /^\d+$/.test(String(id)) ? Number(id) : Number.NaN
  return Number.isSafeInteger(number) ? { kind: 'id', id: number } : { kind: 'nothing' }
}

function targetIn({ context }: Asked, id: number | string): EntryTarget {
  return targetOf(addressOf(id), parseLocale(context))
}

function named({ resource }: Asked, { id, documentId }: { id: number; documentId: string }) {
  return resource.version === 1 ? { id } : { id: documentId, entry_id: id }
}
