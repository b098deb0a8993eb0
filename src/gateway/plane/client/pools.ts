import type { Receiver } from './connection.ts'
import { createPool, type Pool, type PoolSettings } from './pool.ts'

const SWEEP_MS = 30_000
const READ_BYTES = 64 * 1024

/**
 * Connections of one thread, by node and not by configuration object: editing an upstream leaves
 * those of its unchanged nodes alone. Pools without connections are forgotten.
 */
export function createPools<T>(receiver: Receiver<T>) {
  const pools = new Map<string, Pool<T>>()
  const room = Buffer.allocUnsafeSlow(READ_BYTES)
  const timer = setInterval(sweep, SWEEP_MS).unref()
  return { get, close }

  function get(settings: PoolSettings): Pool<T> {
    const { host, port, tls, socketPath, connectMs, size, idleMs, requests } = settings
    const secure = tls ? `${tls.verify}/${tls.servername}/${tls.pair?.digest ?? ''}` : ''
    const key = `${socketPath ?? ''}|${host}|${port}|${secure}|${connectMs}|${size}|${idleMs}|${requests}`
    const pool = pools.get(key) ?? createPool(settings, receiver, room)
    pools.set(key, pool)
    return pool
  }

  function sweep() {
    for (const [key, pool] of pools) if (pool.isUnused()) pools.delete(key)
  }

  function close() {
    clearInterval(timer)
    for (const pool of pools.values()) pool.close()
  }
}

export type Pools<T> = ReturnType<typeof createPools<T>>
