import { setTimeout as wait } from 'node:timers/promises'
import Type from 'typebox'
import { localBucket, redisBucket } from '../limits/bucket.ts'
import { compileKey, isOpenKey, keyFaults } from '../limits/key.ts'
import {
  REJECTED_MEMBERS,
  rejection,
  STORE_MEMBERS,
  STORE_UNSUPPORTED,
  settingsHash,
  storeFaults,
  withoutStore,
} from '../limits/store.ts'
import { spareOf } from '../limits/windows.ts'
import { definePlugin, type PhaseResult } from '../plane/plugin.ts'
import { after } from '../plane/refusal.ts'

/** Lets requests through at a steady rate: some that come too early wait, the others are refused. */
export default definePlugin({
  name: 'limit-req',
  priority: 1001,
  secrets: ['redis_password'],
  schema: Type.Object({
    rate: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
    burst: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    key: Type.String({ minLength: 1, maxLength: 1024 }),
    key_type: Type.Optional(Type.Enum(['var', 'var_combination'])),
    nodelay: Type.Optional(Type.Boolean()),
    ...REJECTED_MEMBERS,
    ...STORE_MEMBERS,
  }),
  unsupported: STORE_UNSUPPORTED,
  findFaults: (conf) => [...keyFaults(conf), ...storeFaults(conf)],
  setup(conf, { owner, counters, redis }) {
    const { rejected_code: status = 503, nodelay: isPrompt = false } = conf
    const refusal = rejection(status, conf.rejected_msg)
    const keyOf = compileKey(conf.key, conf.key_type)
    const isOpen = isOpenKey(conf.key, conf.key_type)
    const pour =
      conf.policy === 'redis' ? redisBucket(conf, redis.store(conf)) : localBucket(conf, counters)
    const base = `limit-req/${owner}/${settingsHash(conf)}`
    return {
      access(ctx): PhaseResult {
        try {
          const spare = isOpen ? spareOf(base, ctx.remoteAddr) : undefined
          const waitMs = pour(`${base}/${keyOf(ctx)}`, spare)
          if (!(waitMs instanceof Promise)) return obey(waitMs)
          return waitMs.then(obey, () => withoutStore(conf))
        } catch {
          return withoutStore(conf)
        }
      },
    }

    function obey(waitMs: number | null): PhaseResult {
      if (waitMs === null) return refusal
      if (isPrompt || waitMs < 1) return undefined
      return after(wait(waitMs), () => undefined)
    }
  },
})
