import { hash } from 'node:crypto'
import type { Database, Tx } from '../../db/database.ts'
import { startHeartbeat } from '../../jobs/heartbeat.ts'
import { newHolder } from '../../jobs/lease-columns.ts'
import type { Random } from '../../random.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { createIdempotencyStore, type KeyId, type Taken } from './store.ts'

interface Deps {
  readonly db: Database
  /** The name of this process, new with every start and the same in all of its threads. */
  readonly owner: string
  readonly random: Random
  /** Answers may hold secrets (webhooks contract §4). */
  readonly secrets: Pick<SecretBox, 'seal' | 'open'>
}

export interface Attempt {
  /** Whose key it is and for what: user and path. */
  readonly scope: string
  readonly key: string
  /** Equal for requests that ask for the same. */
  readonly requestHash: string
}

/** The caller does the work, then ends it in one of the two ways. */
export interface FirstAttempt {
  readonly state: 'new'
  /**
   * The same for every try of this request, also after the process of an earlier one was killed: what gets its id
   * from here is made once.
   */
  idOf(number: number): string
  /** What an earlier try has done, when its answer was lost: nothing more may be done then. */
  readonly receipt: string | null
  /**
   * Says in the transaction of the effect what was done, so that both exist or neither. False when somebody else
   * holds the key by now, who may have done it: then the transaction has to be given up.
   */
  keep(tx: Tx, receipt: string): Promise<boolean>
  /** The same for one of many things that the request does each by itself. */
  keepItem(tx: Tx, number: number, outcome: string): Promise<boolean>
  /** What earlier tries have kept of them. */
  findItems(): Promise<ReadonlyMap<number, string>>
  /**
   * Keeps the answer. Must be awaited before the answer is sent. False when somebody else holds the key by now,
   * whose answer is the one that counts.
   */
  finish(answer: string): Promise<boolean>
  /** Nothing was done: lets the next request with this key do the work, whatever it is. */
  abandon(): Promise<void>
  /** It may have been done: lets the next try of this request find out. */
  release(): Promise<void>
}

export type Begun =
  | FirstAttempt
  | { readonly state: 'replay'; readonly answer: string }
  | { readonly state: 'mismatch' }
  | { readonly state: 'in_progress' }

const LEASE_MS = 60_000

/**
 * One answer for each key (REST conventions §3). Of any number of requests at once, on any nodes, one
 * does the work. A killed process blocks its keys for a minute at most, and not at all on a database
 * of one process; whether its work had been committed the next try finds out by the receipt it finds and
 * the ids it is given.
 */
export function createIdempotency({ db, owner, random, secrets }: Deps) {
  const store = createIdempotencyStore(db)
  /** Keys that are being given back, so that whoever heard the answer finds them free. */
  const ending = new Map<string, Promise<void>>()
  return { begin, purge }

  async function begin({ scope, key, requestHash }: Attempt): Promise<Begun> {
    const id = { scope: digest(scope), key }
    await ending.get(contextOf(id))
    for (;;) {
      const holder = newHolder(owner, random)
      const sinceMs = performance.now()
      const fresh = random.bytes(16).toString('hex')
      const taken = await store.take(id, requestHash, holder, LEASE_MS, fresh)
      if (taken) return first(id, holder, sinceMs, taken)
      const found = await store.find(id)
      // Given up between the two statements: it is free now.
      if (!found) continue
      if (found.request_hash !== requestHash) return { state: 'mismatch' }
      if (found.answer === null) return { state: 'in_progress' }
      return { state: 'replay', answer: secrets.open(found.answer, contextOf(id)) }
    }
  }

  function first(
    id: KeyId,
    holder: string,
    sinceMs: number,
    { seed, receipt: sealed, isAgain }: Taken,
  ): FirstAttempt {
    // First of all: when it does not open, nobody is there to end the heartbeat.
    const receipt = sealed === null ? null : secrets.open(sealed, receiptOf(id))
    // Whoever loses the lease goes on: what it does cannot be taken back. It only may not finish.
    const end = startHeartbeat({
      ttlMs: LEASE_MS,
      sinceMs,
      renew: () => store.renew(id, holder, LEASE_MS),
      onLost: () => {},
    })
    return {
      state: 'new',
      idOf: (number) => uuidFrom(seed, number),
      receipt,
      keepItem: (tx, number, outcome) => store.keepItem(tx, id, holder, number, outcome),
      findItems: async () => (isAgain ? store.findItems(id) : new Map()),
      keep: (tx, text) => store.keep(tx, id, holder, secrets.seal(text, receiptOf(id))),
      finish: (answer) => {
        end()
        return store.finish(id, holder, secrets.seal(answer, contextOf(id)))
      },
      abandon: () => {
        end()
        return giveBack(id, store.abandon(id, holder))
      },
      release: () => {
        end()
        return giveBack(id, store.release(id, holder))
      },
    }
  }

  async function giveBack(id: KeyId, work: Promise<void>): Promise<void> {
    const name = contextOf(id)
    const ended = work.catch(() => {})
    ending.set(name, ended)
    try {
      await work
    } finally {
      if (ending.get(name) === ended) ending.delete(name)
    }
  }

  /** Deletes what is older than a day, in short writes, and returns how many. */
  async function purge(signal?: AbortSignal): Promise<number> {
    for (let total = 0; ; ) {
      const { deleted, more } = await store.purgeBatch()
      total += deleted
      if (!more || signal?.aborted) return total
    }
  }
}

export type Idempotency = ReturnType<typeof createIdempotency>

/** Binds a sealed answer to its row: copied into another one it does not open. */
function contextOf({ scope, key }: KeyId): string {
  return `idempotency ${scope} ${key}`
}

function receiptOf(id: KeyId): string {
  return `receipt ${contextOf(id)}`
}

/** Version 7 (RFC 9562), as all our ids: of the time of the first claim, in the order of the numbers. */
function uuidFrom(seed: string, number: number): string {
  const [sinceMs = '0'] = seed.split(' ', 1)
  const time = Number(sinceMs).toString(16).padStart(12, '0')
  const count = (number & 0xfff).toString(16).padStart(3, '0')
  const rest = hash('sha256', `${seed} ${number}`, 'hex')
  const variant = '89ab'.charAt(Number.parseInt(rest.charAt(0), 16) & 3)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${variant}${rest.slice(1, 4)}-${rest.slice(4, 16)}`
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}
