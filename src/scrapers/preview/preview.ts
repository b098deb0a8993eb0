import { Worker } from 'node:worker_threads'
import { DomainError, type Log, unavailable } from '#kernel'
import type { ChromiumSettings } from '../browser/find-chromium.ts'
import { type Definition, writeDefinition } from '../definition/definition.ts'
import type { ProxyPool } from '../records.ts'
import { createTurns } from '../turns.ts'

interface Deps {
  readonly log: Log
  findPool(name: string): Promise<ProxyPool | undefined>
  /** What a thread needs to know to ask the same addresses as a run may. */
  address(): PreviewAddress
}

interface PreviewAddress {
  readonly chromium: ChromiumSettings
  readonly userAgent: string
  readonly allowLoopback: boolean
  readonly allowNets: readonly string[]
}

/** What the thread is given. */
export interface PreviewOrder extends PreviewAddress {
  /** Null: it asks directly. A pool that does not exist is an empty one (scrapers contract §7). */
  readonly pool: Pick<ProxyPool, 'strategy' | 'proxies'> | null
  /** As on the wire. */
  readonly definition: Record<string, unknown>
}

const NO_PROXIES = { strategy: 'round_robin', proxies: [] } as const
const LIMITS = { atOnce: 4, atOnceOfUser: 2, waitingOfUser: 20, waiting: 200 }
/** Pages that do not answer may hold all slots of a user for minutes: nobody waits so long. */
const MAX_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 5
/** Beside the time that the definition gives the request itself. */
const SPARE_MS = 15_000
/** The start of a browser is not the page's doing either; where cores are busy it takes its time. */
const STARTING_MS = 60_000
const MAX_HEAP_MB = 256

/** Fetches and reads one page in a thread of its own, which ends with it; nothing is stored. */
export function createPreview({ log, address, findPool }: Deps) {
  const turns = createTurns(LIMITS)
  return { show }

  /** `signal` ends the wait for a slot: the caller has left. */
  async function show(
    userId: number,
    definition: Definition,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const leave = await enter(userId, signal)
    try {
      const { proxyPool } = definition
      const pool = proxyPool === null ? null : ((await findPool(proxyPool)) ?? NO_PROXIES)
      return await run({ ...address(), pool, definition: writeDefinition(definition) }, definition)
    } finally {
      leave()
    }
  }

  async function enter(userId: number, signal: AbortSignal): Promise<() => void> {
    const tooLong = AbortSignal.timeout(MAX_WAIT_MS)
    const entered = turns.enter(userId, AbortSignal.any([signal, tooLong]))
    if (entered === 'user')
      throw refusal('limited', 'too_many_previews', 'Too many of your previews wait')
    if (entered === 'all') throw refusal('unavailable', 'busy', 'Too many previews wait')
    return entered.catch(() => {
      throw refusal('unavailable', 'busy', 'No preview could be begun in time')
    })
  }

  function run(order: PreviewOrder, { crawl }: Definition): Promise<Record<string, unknown>> {
    const worker = new Worker(new URL(import.meta.resolve('#scrapers-preview-thread')), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    const ownMs = crawl.timeoutSeconds * 1_000
    const renderingMs = crawl.render === 'browser' ? STARTING_MS + ownMs : 0
    const limitMs = ownMs + renderingMs + SPARE_MS
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(unavailable('preview_timeout', 'The preview took too long')),
        limitMs,
      )
      worker.once('message', (shown: Record<string, unknown>) => resolve(shown))
      worker.once('error', (error) => {
        log.warn({ err: error }, 'a preview failed')
        reject(unavailable('preview_failed', 'The page could not be read'))
      })
      worker.once('exit', () => reject(unavailable('preview_failed', 'The page could not be read')))
      worker.once('exit', () => clearTimeout(timer))
    }).finally(() => void worker.terminate())
  }
}

function refusal(kind: 'limited' | 'unavailable', code: string, what: string): DomainError {
  const message = `${what}; try again in ${RETRY_AFTER_SECONDS} seconds`
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) }
  const facts = { retry_after: RETRY_AFTER_SECONDS }
  return new DomainError(kind, code, message, kind === 'limited' ? { headers, facts } : { headers })
}

export type Preview = ReturnType<typeof createPreview>
