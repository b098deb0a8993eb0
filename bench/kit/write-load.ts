import { Pool } from 'undici'
import type { Measured } from './load.ts'

export interface WriteRequest {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object
}

export interface WriteLoad {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly atOnce: number
  readonly seconds: number
  /** Undefined: there is nothing left to write, the load ends early. */
  next(): WriteRequest | undefined
}

/** Each of so many connections writes as soon as its last write was answered; one that is refused ends the load. */
export async function measureWrites(load: WriteLoad): Promise<Measured> {
  const { url, headers, atOnce, seconds, next } = load
  const pool = new Pool(url, { connections: atOnce })
  const tookMs: number[] = []
  const startedMs = performance.now()
  const untilMs = startedMs + seconds * 1_000
  try {
    await Promise.all(Array.from({ length: atOnce }, write))
  } finally {
    await pool.close()
  }
  const wholeMs = performance.now() - startedMs
  const sorted = tookMs.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { perSecond: (tookMs.length / wholeMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99) }

  async function write(): Promise<void> {
    while (performance.now() < untilMs) {
      const request = next()
      if (!request) return
      const sinceMs = performance.now()
      await send(request)
      tookMs.push(performance.now() - sinceMs)
    }
  }

  async function send({ method, path, body }: WriteRequest): Promise<void> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await pool.request({ method, path, headers: { ...headers, ...type }, ...sent })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) {
      throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`)
    }
  }
}
