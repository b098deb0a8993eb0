import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Outbound } from '#http'
import type { Clock, Log } from '#kernel'
import { findUnprobed, saveProbe } from '../store/subscriptions.ts'
import type { WebhooksTables } from '../tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly userAgent: string
  outbound(): Pick<Outbound, 'send'>
}

const AT_ONCE = 16
const TIMEOUT_MS = 5_000

/** Asks new endpoints whether they can be reached; nothing depends on the answer (Doc 1 §4.2). */
export function createProbes({ db, clock, log, userAgent, outbound }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { turn }

  async function turn(signal: AbortSignal): Promise<boolean> {
    const wanted = await findUnprobed(reader, AT_ONCE)
    await Promise.all(wanted.map(({ id, endpoint_url }) => probe(id, endpoint_url, signal)))
    return wanted.length === AT_ONCE
  }

  async function probe(id: string, url: string, signal: AbortSignal) {
    const found = await ask(url, signal)
    if (!found) return
    await saveProbe(db.main.writer, { id, url }, { probe_at: clock.now(), ...found })
  }

  /** Unsigned, and any answer means that somebody is there. */
  async function ask(url: string, signal: AbortSignal) {
    try {
      const answer = await outbound().send({
        method: 'HEAD',
        url,
        headers: { 'user-agent': userAgent },
        timeoutMs: TIMEOUT_MS,
        maxBodyBytes: 0,
        signal,
      })
      if (answer.ok) return { probe_status: answer.status, probe_error: null }
      if (answer.code === 'aborted') return undefined
      return { probe_status: null, probe_error: answer.code }
    } catch (error) {
      log.error({ err: error }, 'an endpoint could not be probed')
      return { probe_status: null, probe_error: 'internal_error' }
    }
  }
}
