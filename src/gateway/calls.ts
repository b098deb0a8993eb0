/** Outgoing calls of gateway threads, made by the main thread so that equal ones are made once. */
import type { Agent } from 'undici'
import type { Clock, Log } from '#kernel'
import type { CallAnswer, CallRequest } from './protocol.ts'

interface Deps {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

interface Kept {
  readonly answer: CallAnswer
  /** Of the last attempt, failed ones included: who is away is not asked by everybody again. */
  triedAtMs: number
  /** When nobody may be told the answer any more. */
  readonly untilMs: number
}

const MAX_KEPT = 1_000
const MAX_BODY_BYTES = 1024 * 1024
/** An answer that may be old is better than none for so long. */
const STALE_MS = 24 * 3_600_000

/**
 * Equal calls under way are one call, over all threads. A good answer is given again while it is no
 * older than the caller permits; with `mayBeStale` also later, as long as no new one can be had.
 */
export function createCalls({ clock, log }: Deps) {
  const underWay = new Map<string, Promise<CallAnswer>>()
  const kept = new Map<string, Kept>()
  const agents = new Map<boolean, Agent>()
  return { call, close }

  function call(request: CallRequest): Promise<CallAnswer> {
    const { method, url, headers, body, verifyTls } = request
    const key = JSON.stringify([method, url, headers, body, verifyTls])
    const known = kept.get(key)
    const nowMs = clock.now()
    if (known && nowMs - known.triedAtMs <= request.maxAgeMs && nowMs < known.untilMs) {
      return Promise.resolve(known.answer)
    }
    const joined = underWay.get(key)
    if (joined) return joined
    const made = make(request, key).finally(() => underWay.delete(key))
    underWay.set(key, made)
    return made
  }

  async function make(request: CallRequest, key: string): Promise<CallAnswer> {
    const answer = await attempt(request)
    const nowMs = clock.now()
    const isGood = answer.ok && answer.status < 300
    if (isGood && request.maxAgeMs > 0) keep(key, request, answer, nowMs)
    const before = kept.get(key)
    if (isGood || !before || !request.mayBeStale || nowMs >= before.untilMs) return answer
    before.triedAtMs = nowMs
    log.warn({ url: request.url }, 'an old answer is used because there is no new one')
    return before.answer
  }

  function keep(key: string, request: CallRequest, answer: CallAnswer, nowMs: number) {
    const extraMs = request.mayBeStale ? STALE_MS : 0
    for (const [other, { untilMs }] of kept) if (untilMs <= nowMs) kept.delete(other)
    kept.set(key, { answer, triedAtMs: nowMs, untilMs: nowMs + request.maxAgeMs + extraMs })
    if (kept.size > MAX_KEPT) forgetOne()
  }

  /**
   * That whose time is up first: many sessions are renewed within seconds, and must not push out what is
   * known of the provider itself, which is all there is when it is away.
   */
  function forgetOne() {
    let firstMs = Number.POSITIVE_INFINITY
    let first: string | undefined
    for (const [key, { untilMs }] of kept) {
      if (untilMs >= firstMs) continue
      firstMs = untilMs
      first = key
    }
    if (first !== undefined) kept.delete(first)
  }

  async function attempt(request: CallRequest): Promise<CallAnswer> {
    const { url, method, headers, body, timeoutMs, verifyTls } = request
    try {
      const dispatcher = await agentFor(verifyTls)
      const answer = await dispatcher.request({
        ...{ origin: new URL(url).origin, path: pathOf(url), method, headers, body },
        signal: AbortSignal.timeout(timeoutMs),
      })
      return {
        ok: true,
        status: answer.statusCode,
        contentType: String(answer.headers['content-type'] ?? ''),
        challenge: String(answer.headers['www-authenticate'] ?? ''),
        body: await readText(answer.body),
        atMs: clock.now(),
      }
    } catch (error) {
      log.warn({ err: error, url }, 'a call of the gateway failed')
      return { ok: false }
    }
  }

  async function agentFor(verifyTls: boolean): Promise<Agent> {
    const { default: undici } = await import('undici')
    const agent =
      agents.get(verifyTls) ?? new undici.Agent({ connect: { rejectUnauthorized: verifyTls } })
    agents.set(verifyTls, agent)
    return agent
  }

  async function close(): Promise<void> {
    await Promise.all([...agents.values()].map((agent) => agent.destroy()))
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('the answer is too large')
  }
  return Buffer.concat(chunks).toString('utf8')
}
