import type { MessagePort } from 'node:worker_threads'
import type { Batch, BatchResult, Cell } from '../ask.ts'
import type { ScanSlotAddress } from './scan-slot.ts'

/** The two files of a SQLite installation (DESIGN §4). */
export type FileName = 'main' | 'aux'

export type SqlValue = Cell

/** What a storage thread is started with. */
export interface ThreadSetup {
  readonly role: 'writer' | 'reader'
  readonly files: Record<FileName, string>
  /** Raised by the writer after a schema change, so that readers drop their prepared statements. */
  readonly schemaEpoch: SharedArrayBuffer
  /** The last number given of each sequence, shared by all threads (`numbers.ts`). */
  readonly numbers: SharedArrayBuffer
}

/** From the hub to a storage thread. */
export type ThreadControl = { readonly op: 'connect'; readonly port: MessagePort } | { op: 'stop' }

/** From a storage thread to the hub. */
export type ThreadNotice =
  | { readonly type: 'ready' }
  | {
      readonly type: 'long_transaction'
      readonly file: FileName
      readonly durationMs: number
      readonly firstSql: string
    }

/** In the flags of a step of a plan. */
export const MUST = 1
export const RETURNS = 2

/** Of every statement that writes. */
export const WRITE_TIMEOUT_MS = 60_000

/**
 * A plan: its statements are carried out with no message in between. It travels as flat as it can, because objects
 * within each other are what a message costs most for, and all plans of one turn share a message.
 */
export interface PlanRequest {
  readonly id: number
  readonly file: FileName
  /** The texts of statements that the thread may not know, each behind its number. */
  readonly texts: readonly (number | string)[]
  /** Of each step: the number of its statement, its flags, how many values it has, and these. */
  readonly cells: readonly SqlValue[]
  readonly hasEvents: boolean
}

/** The thread does not know the number of a statement, and has done nothing. */
export const UNKNOWN_STATEMENT = 'unknown_statement'

export type Request =
  | {
      readonly op: 'query'
      readonly id: number
      readonly session: number
      readonly file: FileName
      readonly sql: string
      readonly params: readonly SqlValue[]
      readonly timeoutMs: number
      /** Must run inside the session's transaction, or not at all. */
      readonly inTransaction: boolean
    }
  | {
      readonly op: 'begin' | 'commit' | 'rollback'
      readonly id: number
      readonly session: number
      readonly file: FileName
    }

/** A plan whose statements the thread knows. */
export interface Plan extends PlanRequest {
  readonly op: 'plan'
  textOf(number: number): string
}

/** What shares a commit with others: plans, and single changes outside transactions. */
export type GroupRequest = Plan | Extract<Request, { op: 'query' }>

/**
 * Asked most of all, so it travels as a list, and several in one message: the names of members would be most
 * of it. A batch comes along once; afterwards the thread knows it by its number.
 */
export type AskRequest = readonly [
  id: number,
  file: FileName,
  number: number,
  batch: Batch | null,
  parameters: readonly (readonly SqlValue[])[],
  timeoutMs: number,
]

/** Rows are null when the thread does not know the batch. */
export type AskReply = readonly [id: number, rows: BatchResult['rows'] | null, tookMs: number]

export type Reply =
  | {
      readonly id: number
      readonly columns: readonly string[]
      readonly rows: readonly (readonly SqlValue[])[]
      readonly changes: number
      readonly lastId: number | bigint | null
      readonly done: boolean
    }
  | { readonly id: number; readonly error: { message: string; code: string; errcode: number } }

/** What was asked together is answered together, or in pieces when it takes long; so are plans of one commit. */
export type Replies = readonly (AskReply | Reply)[]

/** How a thread reaches the storage threads; its ports are transferred to it. */
export interface StorageAddress {
  readonly control: MessagePort
  readonly writer: MessagePort
  readonly readers: readonly MessagePort[]
  readonly scans: ScanSlotAddress
  /** As in `ThreadSetup`. */
  readonly numbers: SharedArrayBuffer
}

/** From a client to the hub: this reader does not answer. */
export interface StuckReader {
  readonly stuck: number
}

/** From the hub to a client: a storage thread was replaced. */
export interface ReplacedThread {
  readonly role: 'writer' | 'reader'
  readonly index: number
  readonly port: MessagePort
}

/** Thrown by `within_deadline()` inside SQLite; recognised by its text on the way out. */
export const DEADLINE_TEXT = 'query deadline passed'
