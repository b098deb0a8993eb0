import { Worker } from 'node:worker_threads'
import { type Log, unavailable } from '#kernel'
import type { ChromiumSettings } from '../browser/find-chromium.ts'
import { type Definition, writeDefinition } from '../definition/definition.ts'

interface Deps {
  readonly log: Log
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
  /** As on the wire. */
  readonly definition: Record<string, unknown>
}

const MOST_AT_ONCE = 2
const MOST_WAITING = 20
/** Beside the time that the definition gives the request itself. */
const SPARE_MS = 15_000
const MAX_HEAP_MB = 256

/** Fetches and reads one page in a thread of its own, which ends with it; nothing is stored. */
export function createPreview({ log, address }: Deps) {
  const waiting: (() => void)[] = []
  let atWork = 0
  return { show }

  async function show(definition: Definition): Promise<Record<string, unknown>> {
    await enter()
    try {
      return await run({ ...address(), definition: writeDefinition(definition) }, definition)
    } finally {
      leave()
    }
  }

  async function enter() {
    if (atWork < MOST_AT_ONCE) {
      atWork++
      return
    }
    if (waiting.length >= MOST_WAITING) {
      throw unavailable('busy', 'Too many previews are under way; try again in some seconds')
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** Whoever waits longest takes the room that becomes free. */
  function leave() {
    const next = waiting.shift()
    if (next) next()
    else atWork--
  }

  function run(order: PreviewOrder, { crawl }: Definition): Promise<Record<string, unknown>> {
    const worker = new Worker(new URL(import.meta.resolve('#scrapers-preview-thread')), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    const limitMs = crawl.timeoutSeconds * 1_000 + SPARE_MS
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

export type Preview = ReturnType<typeof createPreview>
