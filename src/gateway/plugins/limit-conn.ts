import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import Type from 'typebox'
import { compileKey, keyFaults } from '../limits/key.ts'
import {
  REJECTED_MEMBERS,
  rejection,
  STORE_MEMBERS,
  STORE_UNSUPPORTED,
  settingsHash,
  storeFaults,
  withoutStore,
} from '../limits/store.ts'
import { localUnderWay, redisUnderWay } from '../limits/under-way.ts'
import { isEventStream } from '../plane/answer.ts'
import type { Context } from '../plane/context.ts'
import { definePlugin, type PhaseResult } from '../plane/plugin.ts'

interface Held {
  readonly name: string
  readonly id: string
  enteredAt: number
}

/** Limits how many requests are under way at once: some above that wait, the others are refused. */
export default definePlugin({
  name: 'limit-conn',
  priority: 1003,
  secrets: ['redis_password'],
  schema: Type.Object({
    conn: Type.Integer({ minimum: 1 }),
    burst: Type.Integer({ minimum: 0 }),
    default_conn_delay: Type.Number({ exclusiveMinimum: 0, maximum: 3600 }),
    only_use_default_delay: Type.Optional(Type.Boolean()),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    key_type: Type.Optional(Type.Enum(['var', 'var_combination'])),
    key_ttl: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
    ...REJECTED_MEMBERS,
    ...STORE_MEMBERS,
  }),
  unsupported: STORE_UNSUPPORTED,
  findFaults: (conf) => [...keyFaults(conf), ...storeFaults(conf)],
  setup(conf, deps) {
    const { conn, burst, rejected_code: status = 503, key_ttl: lapseSeconds = 3600 } = conf
    const refusal = rejection(status, conf.rejected_msg)
    const keyOf = compileKey(conf.key, conf.key_type)
    const underWay =
      conf.policy === 'redis'
        ? redisUnderWay(deps.redis.store(conf), lapseSeconds)
        : localUnderWay(deps)
    const base = `limit-conn/${deps.owner}/${settingsHash(conf)}`
    const entered = new WeakMap<Context, Held>()
    /** For one step above the limit; follows how long requests take unless told not to. */
    let delayMs = conf.default_conn_delay * 1000
    return {
      access(ctx): PhaseResult {
        const held = { name: `${base}/${keyOf(ctx)}`, id: randomUUID(), enteredAt: 0 }
        try {
          const count = underWay.enter(held.name, held.id, conn + burst)
          if (!(count instanceof Promise)) return obey(ctx, held, count)
          return count.then(
            (given) => obey(ctx, held, given),
            () => withoutStore(conf),
          )
        } catch {
          return withoutStore(conf)
        }
      },
      log(ctx) {
        const held = entered.get(ctx)
        if (!held) return
        entered.delete(ctx)
        leave(held)
        if (conf.only_use_default_delay || held.enteredAt === 0) return
        // Whoever is above the limit would wait half as long as somebody kept it open.
        if (ctx.status === 101 || isEventStream(ctx)) return
        delayMs = (delayMs + performance.now() - held.enteredAt) / 2
      },
    }

    function obey(ctx: Context, held: Held, count: number | null): PhaseResult {
      if (count === null) return refusal
      // The client went away while the store was asked: nobody would report the end.
      if (ctx.isOver) {
        leave(held)
        return undefined
      }
      entered.set(ctx, held)
      if (count <= conn) {
        held.enteredAt = performance.now()
        return undefined
      }
      const steps = conf.only_use_default_delay ? 1 : Math.floor((count - 1) / conn)
      return wait(delayMs * steps).then(() => {
        held.enteredAt = performance.now()
        return undefined
      })
    }

    /** A store that is away forgets the request by itself, once its time has lapsed. */
    function leave({ name, id }: Held): void {
      const left = underWay.leave(name, id)
      if (left instanceof Promise) left.catch(() => {})
    }
  },
})
