import { checkClock } from './clock.ts'
import { type Finding, fault, ok, reasonOf } from './finding.ts'

const ANSWER_MS = 3_000

/** Whether it answers, and what time it has. */
export async function checkRedis(url: string, now: () => number): Promise<Finding[]> {
  const { default: ioredis } = await import('ioredis')
  const redis = new ioredis.Redis(url, {
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let reason: unknown
  redis.on('error', (error) => {
    reason = error
  })
  try {
    await redis.connect()
    const [seconds = 0, micros = 0] = (await redis.time()).map(Number)
    const version =
      /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'of unknown version'
    return [ok('redis', version), checkClock('Redis', seconds * 1000 + micros / 1000, now())]
  } catch (error) {
    const next =
      'Start it, or correct ENTREPOT_REDIS_URL; without Redis each node counts over the database.'
    return [fault('redis', `no answer: ${reasonOf(reason ?? error)}`, next)]
  } finally {
    redis.disconnect()
  }
}
