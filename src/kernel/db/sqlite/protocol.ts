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
  /** The last number given of each sequence, shared by all storage threads (`numbers.ts`). */
  readonly numbers: SharedArrayBuffer
}

/** From the hub to a storage thread. */
export type ThreadControl = { readonly op: 'connect'; readonly port: MessagePort } | { op: 'stop' }

/** From a storage thread to the hub. */
export type ThreadNotice =
  | { readonly type: 'ready' }
  | { readonly type: 'long_transaction'; readonly durationMs: number; readonly firstSql: string }

/** A statement of a plan: carried out with no message in between. */
export interface StepRequest {
  readonly sql: string
  readonly params: readonly SqlValue[]
  readonly must: boolean
  readonly isEvent: boolean
  readonly returns: boolean
}

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
  | {
      readonly op: 'carryOut'
      readonly id: number
      readonly session: number
      readonly file: FileName
      readonly steps: readonly StepRequest[]
      /** For each of them. */
      readonly timeoutMs: number
    }
  | {
      readonly op: 'open'
      readonly id: number
      readonly session: number
      readonly file: FileName
      readonly sql: string
      readonly params: readonly SqlValue[]
      readonly chunkSize: number
    }
  | { readonly op: 'next'; readonly id: number; readonly session: number }
  | { readonly op: 'close'; readonly id: number; readonly session: number }

/** What shares a commit with others: plans, and single changes outside transactions. */
export type GroupRequest = Extract<Request, { op: 'carryOut' | 'query' }>

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

/** What was asked together is answered together, or in pieces when it takes long. */
export type AskReplies = readonly (AskReply | Extract<Reply, { error: unknown }>)[]

/** How a thread reaches the storage threads; every member is transferred to it. */
export interface StorageAddress {
  readonly control: MessagePort
  readonly writer: MessagePort
  readonly readers: readonly MessagePort[]
  readonly scans: ScanSlotAddress
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
