// A storage thread: the only place that touches the SQLite files. The writer serves one transaction
// at a time and keeps everybody else waiting in order; what needs no answer in between shares commits;
// readers answer as they are asked.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createLru, type Lru } from '../../lru.ts'
import { settleThread } from '../../threads/settled.ts'
import type { Batch } from '../ask.ts'
import { type Connection, openConnection, type Result } from './connection.ts'
import { StorageError } from './errors.ts'
import { carryOutGroup, leavingRest } from './group-commit.ts'
import { shareNumbers } from './numbers.ts'
import { STATEMENTS_NUMBERED } from './plan-sender.ts'
import {
  type AskReply,
  type AskRequest,
  type FileName,
  type GroupRequest,
  MUST,
  type Plan,
  type PlanRequest,
  type Replies,
  type Reply,
  type Request,
  type ThreadControl,
  type ThreadNotice,
  type ThreadSetup,
  UNKNOWN_STATEMENT,
} from './protocol.ts'

/**
 * A transaction whose owner went silent must not stop all other writers. Its length has no limit, as on
 * PostgreSQL: the first start on a slow machine takes its time.
 */
const SILENCE_LIMIT_MS = 10_000
const LONG_TRANSACTION_MS = 100
const BATCHES_KEPT = 500
/** So long the first of several asks waits for the others. */
const TOGETHER_MS = 3
const CHANGE = /^\s*(insert|update|delete)\b/i

type Message = Request | readonly AskRequest[] | readonly PlanRequest[]
type FileRequest = Request | Plan

interface Waiting {
  readonly port: MessagePort
  readonly request: FileRequest
}

interface OpenTransaction {
  readonly port: MessagePort
  readonly session: number
  readonly startedAtMs: number
  readonly limit: NodeJS.Timeout
  heardAtMs: number
  firstSql: string
}

interface File {
  readonly name: FileName
  readonly connection: Connection
  readonly waiting: Waiting[]
  open: OpenTransaction | null
}

const setup = workerData as ThreadSetup
const hub = parentPort
if (!hub) throw new Error('a storage thread needs a parent')

const schemaEpoch = new Int32Array(setup.schemaEpoch)
const numbers = shareNumbers(setup.numbers)
const readOnly = setup.role === 'reader'
const files: Record<FileName, File> = { main: openFile('main'), aux: openFile('aux') }
/** Batches of each client. */
const batches = new Map<MessagePort, Lru<number, Batch>>()
/** Statements of plans of each client. */
const statements = new Map<MessagePort, Lru<number, string>>()
/** Batches that did not take long the last time. */
const quick = new WeakSet<Batch>()
/** Requests that a group took out of their ports are being served; until the last one groups take no more. */
let isServingOthers = false

hub.on('message', (control: ThreadControl) => {
  if (control.op === 'connect') connect(control.port)
  else stop()
})
notify({ type: 'ready' })
settleThread({ isLight: true })

function openFile(name: FileName): File {
  const connection = openConnection(setup.files[name], { readOnly, schemaEpoch, numbers })
  return { name, connection, waiting: [], open: null }
}

function connect(port: MessagePort) {
  batches.set(port, createLru(BATCHES_KEPT))
  statements.set(port, createLru(2 * STATEMENTS_NUMBERED))
  port.on('message', (request: Message) => dispatch(port, request))
  // The client thread died or ended: what it left open is undone, nobody waits for it.
  port.on('close', () => abandon(port))
}

function dispatch(port: MessagePort, message: Message) {
  if (!isList(message)) return receive(port, message)
  if (areAsks(message)) return respond(port, message)
  for (const plan of plansOf(port, message)) files[plan.file].waiting.push({ port, request: plan })
  for (const file of Object.values(files)) serveWaiting(file)
}

/** Those whose statements are known; the others are sent back. */
function plansOf(port: MessagePort, requests: readonly PlanRequest[]): Plan[] {
  const known = statements.get(port)
  if (!known) return []
  for (const { texts } of requests) {
    for (let at = 0; at < texts.length; at += 2)
      known.keep(Number(texts[at]), leavingRest(String(texts[at + 1])))
  }
  return requests.flatMap((request) => {
    const own = new Map<number, string>()
    for (const number of numbersIn(request)) own.set(number, known.find(number) ?? '')
    if (![...own.values()].includes('')) {
      const textOf = (number: number) => own.get(number) ?? ''
      return { ...request, op: 'plan', textOf }
    }
    answer(port, request, () => {
      throw new StorageError(UNKNOWN_STATEMENT, 'a statement of the plan is not known')
    })
    return []
  })
}

function* numbersIn({ cells }: PlanRequest): Generator<number> {
  for (let at = 0; at < cells.length; at += 3 + Number(cells[at + 2])) yield Number(cells[at])
}

function receive(port: MessagePort, request: Request) {
  const file = files[request.file]
  if (file.open && !(file.open.port === port && file.open.session === request.session)) {
    file.waiting.push({ port, request })
    return
  }
  if (file.open) {
    answer(port, request, () => perform(file, port, request))
  } else file.waiting.push({ port, request })
  serveWaiting(file)
}

function serveWaiting(file: File) {
  while (!file.open) {
    const [next] = file.waiting
    if (!next) return
    if (isGrouped(next.request)) {
      serveGroup(file)
      continue
    }
    file.waiting.shift()
    answer(next.port, next.request, () => perform(file, next.port, next.request))
  }
}

/** What arrives while a group is under way belongs to it too; anything else ends it and comes next. */
function serveGroup(file: File) {
  const startedAtMs = performance.now()
  const members: { readonly port: MessagePort; readonly request: GroupRequest }[] = []
  const others: (readonly [MessagePort, Message])[] = []
  const outcomes = carryOutGroup(file.connection, () => {
    const mayReceive = !isServingOthers && others.length === 0
    if (mayReceive && file.waiting.length === 0) receiveMore(file, others)
    const [next] = file.waiting
    if (!next || !isGrouped(next.request)) return undefined
    const { port, request } = next
    file.waiting.shift()
    members.push({ port, request })
    return request
  })
  const replies = new Map<MessagePort, Reply[]>()
  for (const [at, { port, request }] of members.entries()) {
    const own = replies.get(port) ?? []
    replies.set(port, own)
    own.push(
      replyOf(request, () => {
        const outcome = outcomes[at]
        if (outcome && 'result' in outcome) return outcome.result
        throw outcome?.error ?? new Error('a write was left out of its group')
      }),
    )
  }
  for (const [port, own] of replies) port.postMessage(own)
  const [first] = members
  noteDuration(file, startedAtMs, first ? sqlOf(first.request) : '')
  if (others.length === 0) return
  isServingOthers = true
  for (const [port, request] of others) dispatch(port, request)
  isServingOthers = false
}

/** One message of each client; what is not for this file, or cannot share a commit, waits for the end. */
function receiveMore(file: File, others: (readonly [MessagePort, Message])[]) {
  for (const port of batches.keys()) {
    const message: Message | undefined = receiveMessageOnPort(port)?.message
    if (message === undefined) continue
    if (!isOurs(file, message)) others.push([port, message])
    else if (!isList(message)) file.waiting.push({ port, request: message })
    else for (const request of plansOf(port, message)) file.waiting.push({ port, request })
  }
}

type OurMessage = Extract<GroupRequest, { op: 'query' }> | readonly PlanRequest[]

function isOurs(file: File, message: Message): message is OurMessage {
  if (!isList(message)) {
    return message.op === 'query' && files[message.file] === file && isGrouped(message)
  }
  return !areAsks(message) && message.every((plan) => files[plan.file] === file)
}

function isGrouped(request: FileRequest): request is GroupRequest {
  if (request.op === 'query') return !request.inTransaction && CHANGE.test(request.sql)
  return request.op === 'plan'
}

function sqlOf(request: GroupRequest): string {
  if (request.op === 'query') return request.sql
  const { cells, textOf } = request
  for (let at = 0; at < cells.length; at += 3 + Number(cells[at + 2])) {
    if (!(Number(cells[at + 1]) & MUST)) return textOf(Number(cells[at]))
  }
  return ''
}

function perform(file: File, port: MessagePort, request: FileRequest): Result {
  switch (request.op) {
    case 'begin':
      file.connection.exec('begin immediate')
      file.open = {
        port,
        session: request.session,
        startedAtMs: performance.now(),
        limit: setTimeout(() => giveUpUnlessHeard(file), SILENCE_LIMIT_MS),
        heardAtMs: performance.now(),
        firstSql: '',
      }
      return NOTHING
    case 'commit':
      if (!file.open) throw silentTooLong()
      end(file, 'commit')
      return NOTHING
    case 'rollback':
      // One that ended before was rolled back then: what made its owner give up must not be replaced by this.
      end(file, 'rollback')
      return NOTHING
    case 'plan':
      throw new Error('a plan inside a transaction')
    case 'query':
      if (request.inTransaction && !file.open) throw silentTooLong()
      if (file.open && file.open.firstSql === '') file.open.firstSql = request.sql
      try {
        return file.connection.run(request.sql, request.params, request.timeoutMs)
      } finally {
        // A full disk undoes all of it at once: what comes after must not be carried out by itself.
        if (!file.connection.isInTransaction()) end(file, 'rollback')
        if (file.open) hear(file.open)
      }
  }
}

function hear(open: OpenTransaction) {
  open.heardAtMs = performance.now()
  open.limit.refresh()
}

function silentTooLong(): StorageError {
  const message = 'The transaction took too long and was rolled back'
  return new StorageError('transaction_timeout', message)
}

/** After a pause of the whole process what the owner has sent meanwhile is read first. */
function giveUpUnlessHeard(file: File) {
  const silent = file.open
  const sinceMs = performance.now()
  setImmediate(() => {
    if (file.open === silent && silent && silent.heardAtMs < sinceMs) giveUp(file)
  })
}

function giveUp(file: File) {
  end(file, 'rollback')
  serveWaiting(file)
}

const NOTHING: Result = { columns: [], rows: [], changes: 0, lastId: null, done: true }

function end(file: File, how: 'commit' | 'rollback') {
  const open = file.open
  if (!open) return
  clearTimeout(open.limit)
  try {
    if (how === 'commit') file.connection.exec('commit')
  } finally {
    // Also after a commit that failed (disk full): it must not outlive its owner, unless the database has ended it.
    if (file.connection.isInTransaction()) file.connection.exec('rollback')
    file.open = null
    noteDuration(file, open.startedAtMs, open.firstSql)
  }
}

function noteDuration({ name: file }: File, startedAtMs: number, firstSql: string) {
  const durationMs = performance.now() - startedAtMs
  if (durationMs <= LONG_TRANSACTION_MS) return
  notify({ type: 'long_transaction', file, durationMs, firstSql: firstSql.slice(0, 200) })
}

function abandon(port: MessagePort) {
  batches.delete(port)
  statements.delete(port)
  for (const file of Object.values(files)) {
    const mine = file.waiting.filter((entry) => entry.port === port)
    for (const entry of mine) file.waiting.splice(file.waiting.indexOf(entry), 1)
    if (file.open?.port !== port) continue
    giveUp(file)
  }
}

function isList(message: Message): message is readonly AskRequest[] | readonly PlanRequest[] {
  return Array.isArray(message)
}

function areAsks(
  list: readonly AskRequest[] | readonly PlanRequest[],
): list is readonly AskRequest[] {
  return Array.isArray(list[0])
}

/**
 * What was asked at once is answered at once, unless somebody would wait long for what is ready: it does not
 * wait for what took long the last time, or was never asked before.
 */
function respond(port: MessagePort, requests: readonly AskRequest[]) {
  let replies: Replies[number][] = []
  let startedMs = performance.now()
  for (const request of requests) {
    const batch = batchOf(port, request)
    if (replies.length > 0 && !(batch && quick.has(batch))) send()
    replies.push(replyTo(request, batch))
    if (performance.now() - startedMs >= TOGETHER_MS) send()
  }
  if (replies.length > 0) send()

  function send() {
    port.postMessage(replies)
    replies = []
    startedMs = performance.now()
  }
}

function replyTo(request: AskRequest, batch: Batch | undefined): Replies[number] {
  try {
    return ask(request, batch)
  } catch (error) {
    if (batch) quick.delete(batch)
    return { id: request[0], error: describe(error) }
  }
}

function ask(request: AskRequest, batch: Batch | undefined): AskReply {
  const [id, file, , , parameters, timeoutMs] = request
  const startedMs = performance.now()
  if (!batch) return [id, null, 0]
  const rows = files[file].connection.ask(batch.steps, parameters, timeoutMs)
  const tookMs = performance.now() - startedMs
  if (tookMs < TOGETHER_MS) quick.add(batch)
  else quick.delete(batch)
  return [id, rows, tookMs]
}

function batchOf(port: MessagePort, [, , number, batch]: AskRequest): Batch | undefined {
  const known = batches.get(port)
  return batch ? known?.keep(number, batch) : known?.find(number)
}

function answer(port: MessagePort, request: Identified, work: () => Result) {
  port.postMessage(replyOf(request, work))
}

type Identified = Pick<Request, 'id'>

function replyOf({ id }: Identified, work: () => Result): Reply {
  try {
    return { id, ...work() }
  } catch (error) {
    return { id, error: describe(error) }
  }
}

function describe(error: unknown): { message: string; code: string; errcode: number } {
  if (!(error instanceof Error)) return { message: String(error), code: 'ERR', errcode: 0 }
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return {
    message: error.message,
    code: typeof code === 'string' ? code : 'ERR',
    errcode: typeof errcode === 'number' ? errcode : 0,
  }
}

function notify(notice: ThreadNotice) {
  hub?.postMessage(notice)
}

function stop() {
  for (const file of Object.values(files)) {
    if (file.open) end(file, 'rollback')
    file.connection.close()
  }
  process.exit(0)
}
