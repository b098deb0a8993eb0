import Type from 'typebox'
import { definePlugin } from '../plane/plugin.ts'
import { lookUp } from '../plane/variables.ts'
import { METHODS } from '../resources/methods.ts'

const NAMES = Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }))

/** Lets only some consumers in, keeps some out, or lets each use some methods only. */
export default definePlugin({
  name: 'consumer-restriction',
  priority: 2400,
  schema: Type.Object({
    type: Type.Optional(
      Type.Enum(['consumer_name', 'consumer_group_id', 'service_id', 'route_id']),
    ),
    whitelist: NAMES,
    blacklist: NAMES,
    allowed_by_methods: Type.Optional(
      Type.Array(
        Type.Object({
          user: Type.String({ minLength: 1 }),
          methods: Type.Array(Type.Enum([...METHODS]), { minItems: 1 }),
        }),
        { minItems: 1 },
      ),
    ),
    rejected_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    rejected_msg: Type.Optional(Type.String({ minLength: 1 })),
  }),
  findFaults({ whitelist, blacklist, allowed_by_methods: byMethods }) {
    if (whitelist ?? blacklist ?? byMethods) return []
    const message = 'one of whitelist, blacklist and allowed_by_methods is required'
    return [{ path: '', message }]
  },
  setup(conf) {
    const { type = 'consumer_name', rejected_code: status = 403 } = conf
    const refusal = {
      status,
      body: { message: conf.rejected_msg ?? `The ${type} is forbidden.` },
    }
    const unknown = {
      status: 401,
      body: { message: `The request is rejected, please check the ${type} for this request` },
    }
    const banned = new Set(conf.blacklist)
    const invited = conf.whitelist ? new Set(conf.whitelist) : null
    const methods = new Map<string, ReadonlySet<string>>()
    for (const { user, methods: allowed } of conf.allowed_by_methods ?? []) {
      methods.set(user, new Set([...(methods.get(user) ?? []), ...allowed]))
    }
    return {
      access(ctx) {
        const value = ctx.consumer ? lookUp(ctx, type) : undefined
        if (value === undefined) return unknown
        const isAllowed =
          !banned.has(value) &&
          (invited?.has(value) ?? true) &&
          (methods.get(value)?.has(ctx.method) ?? true)
        return isAllowed ? undefined : refusal
      },
    }
  },
})
