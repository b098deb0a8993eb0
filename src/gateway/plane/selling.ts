/** What a gateway thread needs to sell routes: counters, a journal of its own, the way to ask for keys. */
import { threadId } from 'node:worker_threads'
import {
  type AccessAnswer,
  type AccessQuestion,
  createThreadAccess,
  type ThreadAccess,
} from '#access-thread'
import { type createLocalBus, createRevisions } from '#bus'
import {
  connectCounters,
  createSharedCounters,
  openCounters,
  ownerIdOf,
  type SharedCounters,
} from '#counters'
import { createJournalWriter, type JournalWriter } from '#journal'
import type { Clock, Log } from '#kernel'
import type { ThreadData, ToThread } from '../protocol.ts'

interface Deps {
  readonly data: ThreadData
  readonly clock: Clock
  readonly log: Log
  readonly bus: ReturnType<typeof createLocalBus>
  /** Sends a question to the main thread. */
  send(ask: number, question: AccessQuestion): void
  /** A limit of a plan has refused a request. */
  onRefused(limit: string, plan: string): void
}

/** A main thread that is silent for so long cannot look anything up. */
const ANSWER_WITHIN_MS = 5_000

export interface Selling {
  readonly access: ThreadAccess
  /** What the threads of this process count together. */
  readonly counters: SharedCounters
  /** Answers and notices of the main thread. */
  receive(message: Extract<ToThread, { type: 'answer' | 'forget' | 'limits' }>): void
  /** After the last answer. */
  close(): Promise<void>
}

export async function openSelling(deps: Deps): Promise<Selling> {
  const { data, clock, log, bus, send, onRefused } = deps
  let { limits } = data
  const questions = createQuestions(send)
  const { shared, redis, databaseUrl, timeoutMs } = data.counters
  const local = createSharedCounters({ clock, shared, ownerId: ownerIdOf(threadId) })
  const openSql = databaseUrl === null ? null : () => connectCounters(databaseUrl, log)
  const policy = () => limits.onStoreFailure
  const counters = await openCounters({ redis, openSql, timeoutMs }, { local, clock, log, policy })
  const name = data.name.replaceAll('-', '')
  const writer = createJournalWriter({ address: data.journal, name, clock, log })
  let isClosed = false
  // An answer that was cut at the drain limit may report itself after the end.
  const append = (record: object) => !isClosed && writer.append(record)
  const appendSoon: JournalWriter['appendSoon'] = (record, written) =>
    isClosed ? written(false) : writer.appendSoon(record, written)
  const journal = { append, appendSoon, hasRoom: writer.hasRoom }
  const revisions = createRevisions({ bus, log })
  const access = createThreadAccess({
    ...{ clock, log, revisions, counters, journal, onRefused },
    ask: questions.ask,
    limits: () => limits,
  })
  return { access, counters: local, receive, close }

  function receive(message: Parameters<Selling['receive']>[0]) {
    if (message.type === 'answer') questions.settle(message.ask, message.answer)
    else if (message.type === 'limits') limits = message.limits
    else access.forget(message.changed)
  }

  async function close() {
    await access.close()
    revisions.close()
    isClosed = true
    writer.close()
    await counters.close()
  }
}

function createQuestions(send: Deps['send']) {
  const waiting = new Map<number, (answer: AccessAnswer) => void>()
  let last = 0
  return { ask, settle }

  function ask(question: AccessQuestion): Promise<AccessAnswer> {
    const number = ++last
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(number, { about: 'nothing' }), ANSWER_WITHIN_MS)
      waiting.set(number, (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      send(number, question)
    })
  }

  function settle(number: number, answer: AccessAnswer) {
    waiting.get(number)?.(answer)
    waiting.delete(number)
  }
}
