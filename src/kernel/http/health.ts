import type { Log } from '../log.ts'
import type { HttpPlugin } from './app.ts'

/** Resolves when the part works; what it throws goes to the log, not to the caller. */
export type ReadinessCheck = () => Promise<void> | void

export interface HealthDeps {
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly checks: Readonly<Record<string, ReadinessCheck>>
  readonly timeLimitMs?: number
}

type Verdict = 'ok' | 'failed' | 'timed out'

const TIME_LIMIT_MS = 2_000
const JSON_TYPE = 'application/json; charset=utf-8'
const ALIVE = JSON.stringify({ status: 'ok' })

/**
 * `/health` says that the process is alive and touches nothing. `/ready` says whether it can serve;
 * probes that come while one is under way share its answer, so they cannot become a load.
 */
export function healthRoutes({ log, checks, timeLimitMs = TIME_LIMIT_MS }: HealthDeps): HttpPlugin {
  let underWay: Promise<Record<string, Verdict>> | undefined
  const failing = new Set<string>()
  const quiet = { config: { etag: false } }

  return (app) => {
    app.get('/health', quiet, (_request, reply) => {
      reply.header('cache-control', 'no-store').type(JSON_TYPE).send(ALIVE)
    })
    app.get('/ready', quiet, async (_request, reply) => {
      const verdicts = await probe()
      const isReady = Object.values(verdicts).every((verdict) => verdict === 'ok')
      reply.code(isReady ? 200 : 503).header('cache-control', 'no-store')
      return { status: isReady ? 'ready' : 'not ready', checks: verdicts }
    })
  }

  function probe(): Promise<Record<string, Verdict>> {
    underWay ??= runAll().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  async function runAll(): Promise<Record<string, Verdict>> {
    const names = Object.keys(checks)
    const verdicts = await Promise.all(names.map(judge))
    return Object.fromEntries(names.map((name, index) => [name, verdicts[index] ?? 'failed']))
  }

  async function judge(name: string): Promise<Verdict> {
    const { verdict, reason } = await outcomeOf(checks[name], timeLimitMs)
    // The change is worth a line, not every probe.
    if (verdict === 'ok' && failing.delete(name)) log.info({ check: name }, 'ready again')
    if (verdict !== 'ok' && !failing.has(name)) {
      failing.add(name)
      log.warn({ check: name, verdict, err: reason }, 'not ready')
    }
    return verdict
  }
}

async function outcomeOf(
  check: ReadinessCheck | undefined,
  timeLimitMs: number,
): Promise<{ verdict: Verdict; reason?: unknown }> {
  const { promise: tooLate, resolve } = Promise.withResolvers<{ verdict: Verdict }>()
  const timer = setTimeout(() => resolve({ verdict: 'timed out' }), timeLimitMs)
  const run = async () => {
    await check?.()
    return { verdict: 'ok' as const }
  }
  try {
    return await Promise.race([run(), tooLate])
  } catch (reason) {
    return { verdict: 'failed', reason }
  } finally {
    clearTimeout(timer)
  }
}
