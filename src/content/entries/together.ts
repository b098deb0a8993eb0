import type { SqlDialect } from '#db'
import type { Actor } from '#kernel'
import { createSlots } from '#queues'
import { breathe } from '../breathe.ts'
import type { ContentModel, ContentType } from '../model.ts'
import { createAll } from './create.ts'
import { LATER } from './enroll.ts'
import { findByKey, isTaken } from './keys.ts'
import { isLive, isPlain } from './make-entry.ts'
import {
  type Done,
  type Entries,
  type EntryInput,
  MOST_TOGETHER,
  type NewInput,
  type Upserted,
  type Written,
} from './ports.ts'
import type { Prepared, PreparedOptions } from './prepare.ts'
import { AT_ONCE_TURN, createLine, createTurns, type Turn } from './turns.ts'
import type { Runner, Writing } from './writing.ts'

interface Deps extends Pick<Runner, 'run'> {
  prepare(type: ContentType, input: EntryInput, isWhole?: boolean): Promise<() => Prepared>
  createPrepared(
    actor: Actor,
    type: ContentType,
    prepared: () => Prepared,
    options: PreparedOptions,
  ): Promise<Written>
  upsertPrepared(
    actor: Actor,
    type: ContentType,
    key: string,
    prepared: () => Prepared,
    options: PreparedOptions,
  ): Promise<Upserted>
  model(): ContentModel
  readonly dialect: Pick<SqlDialect, 'isUnavailable'>
}

interface Job {
  readonly actor: Actor
  readonly type: ContentType
  /** By which the list is read. */
  readonly model: ContentModel
  /** Null: all are created. */
  readonly key: string | null
}

/** One of a list, checked. */
interface Ready {
  readonly at: number
  readonly sent: NewInput
  prepared(): Prepared
}

/** What a plan did not decide. */
interface Left {
  /** To be planned together when this is written. */
  readonly later: readonly Ready[]
  readonly alone: readonly Ready[]
}

/** So many writes are made at the same time, in turn. */
const AT_ONCE = 50
const BREATHER = 25
/** So many groups of lists are planned or written at a time; each holds the writer of SQLite for some 10 ms. */
const GROUPS_AT_ONCE = 4

/** Several are planned, never done in a transaction: that would hold the writer for too long. */
class Apart extends Error {}

/** Lists of entries: each is kept or refused by itself, although one plan serves many of them. */
export function createTogether(deps: Deps): Pick<Entries, 'createAll' | 'upsertAll' | 'inSlot'> {
  const { run, prepare, createPrepared, upsertPrepared, dialect } = deps
  const slots = createSlots(GROUPS_AT_ONCE)
  return {
    inSlot,
    createAll: (actor, type, list) =>
      writeAll({ ...{ actor, type, key: null }, model: deps.model() }, list),
    upsertAll: (actor, type, key, list) =>
      writeAll({ ...{ actor, type, key }, model: deps.model() }, list),
  }

  function inSlot<T>({ consumerId }: Actor, work: () => Promise<T>): Promise<T> {
    return slots.run(work, consumerId)
  }

  /** A group is planned while the one before it is written. */
  async function writeAll(job: Job, list: readonly NewInput[]): Promise<Done<Upserted>[]> {
    const done: Done<Upserted>[] = []
    const line = createLine<Group>((group, turn) =>
      inSlot(job.actor, () => write(job, group, done, turn)),
    )
    let filling: Group | undefined
    for (const [at, sent] of list.entries()) {
      const isWhole = job.key === null && isLive(job.type, sent.options.status)
      const prepared = await prepare(job.type, sent.input, isWhole).catch((error) => {
        done[at] = { error }
      })
      if (prepared) {
        const group = joined(job.type, filling, { at, sent, prepared })
        if (group !== filling && filling) await line.add(filling)
        filling = group
      }
      // So many to check must not keep other requests waiting.
      if (at % BREATHER === BREATHER - 1) await breathe()
    }
    if (filling) await line.add(filling)
    await line.end()
    return done
  }

  async function write(job: Job, { isShared, list }: Group, done: Done<Upserted>[], turn: Turn) {
    if (!isShared || list.length === 1) {
      await turn.beforeSending()
      return writeAlone(job, list, done)
    }
    const left = await planned(job, list, done, turn)
    // One that was taken apart before it was sent has not waited yet.
    await turn.beforeSending()
    await writeAlone(job, left.alone, done)
    // All of them have others than were planned.
    if (left.alone.length === list.length) turn.numbersTaken()
    for (const again of groupsOf(job.type, left.later)) await write(job, again, done, AT_ONCE_TURN)
  }

  async function planned(
    job: Job,
    group: readonly Ready[],
    done: Done<Upserted>[],
    turn: Turn,
  ): Promise<Left> {
    try {
      const results = await run(job.actor, job.type, { model: job.model, turn }, (writing) =>
        planAll(writing, job, group),
      )
      const later: Ready[] = []
      const own: Ready[] = []
      for (const [at, each] of group.entries()) {
        const result = results[at]
        if (result === LATER || !result) later.push(each)
        else if (result === ALONE) own.push(each)
        else done[each.at] = result
      }
      return { later, alone: own }
    } catch (error) {
      // One of them made it fail, unless nobody can say what came of it.
      if (!dialect.isUnavailable(error)) return { later: [], alone: group }
      for (const { at } of group) done[at] = { error }
      return { later: [], alone: [] }
    }
  }

  async function writeAlone(job: Job, list: readonly Ready[], done: Done<Upserted>[]) {
    for (let at = 0; at < list.length; at += AT_ONCE) {
      await inTurn(list.slice(at, at + AT_ONCE), (each, turn) => alone(job, each, done, turn))
    }
  }

  async function alone(
    job: Job,
    { at, sent, prepared }: Ready,
    done: Done<Upserted>[],
    turn: Turn,
  ) {
    const { actor, type, model, key } = job
    const own = { ...sent.options, turn, model }
    const create = async () => {
      const written = await createPrepared(actor, type, prepared, own)
      return { ...written, created: true }
    }
    const work = key === null ? create() : upsertPrepared(actor, type, key, prepared, own)
    await work.then(
      (value) => {
        done[at] = { value }
      },
      (error) => {
        done[at] = { error }
      },
    )
  }
}

/** The key leads to an entry, or it is taken. */
const ALONE = 'alone'

async function planAll(writing: Writing, { key }: Job, group: readonly Ready[]) {
  if (!writing.tx.isPlan) throw new Apart()
  const all = group.map(({ sent, prepared }) => ({ prepared: prepared(), options: sent.options }))
  const inputs = all.map(({ prepared }) => prepared)
  const found = key === null ? [] : await findByKey(writing, key, inputs)
  const fresh = all.filter((_, at) => !found[at])
  const created = new Map((await createAll(writing, fresh)).map((one, at) => [fresh[at], one]))
  const decided = all.map((each) => {
    const one = created.get(each)
    if (!one) return ALONE
    if (one === LATER || 'value' in one) return one
    // Whoever made the entry since we looked made it for us too. If it is not found by the key although that is
    // taken, a write of its own gives up some time; a list that is planned again would not.
    return key !== null && isTaken(one.refusal, key) ? ALONE : { error: one.refusal }
  })
  return () =>
    decided.map((one) => {
      if (one === ALONE || one === LATER || 'error' in one) return one
      return { value: { ...one.value(), created: true } }
    })
}

/** Neighbours that can share a plan, or that are written at the same time, each by itself. */
interface Group {
  readonly isShared: boolean
  /** All have a place among their siblings, or all go last: which would be last depends on those before it. */
  readonly isPlaced: boolean
  readonly list: Ready[]
}

function groupsOf(type: ContentType, list: readonly Ready[]): readonly Group[] {
  const groups: Group[] = []
  for (const each of list) {
    const last = groups.at(-1)
    const group = joined(type, last, each)
    if (group !== last) groups.push(group)
  }
  return groups
}

/** The group with one more, or another one that it begins. */
function joined(type: ContentType, last: Group | undefined, each: Ready): Group {
  const isShared = isPlain(type, each.prepared())
  const isPlaced = each.sent.input.sortOrder !== undefined
  const isAlike = last?.isShared === isShared && last.isPlaced === isPlaced
  const most = isShared ? MOST_TOGETHER : AT_ONCE
  if (!isAlike || last.list.length >= most) return { isShared, isPlaced, list: [each] }
  last.list.push(each)
  return last
}

/** All at once, each in its turn. */
async function inTurn<Item>(
  items: readonly Item[],
  work: (item: Item, turn: Turn) => Promise<unknown>,
): Promise<void> {
  const turns = createTurns(items.length)
  await Promise.all(
    items.map(async (item, at) => {
      const turn = turns[at]
      if (!turn) throw new Error('there are too few turns')
      try {
        await work(item, turn)
      } finally {
        turn.end()
      }
    }),
  )
}
