import Type from 'typebox'
import { createPattern, patternFault } from '../expression/pattern.ts'
import { definePlugin } from '../plane/plugin.ts'

/** Refuses requests whose target matches one of some patterns. */
export default definePlugin({
  name: 'uri-blocker',
  priority: 2900,
  schema: Type.Object({
    block_rules: Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
    }),
    rejected_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    rejected_msg: Type.Optional(Type.String({ minLength: 1 })),
    case_insensitive: Type.Optional(Type.Boolean()),
  }),
  findFaults: ({ block_rules: rules }) =>
    rules.flatMap((source, at) => {
      const message = patternFault(source)
      return message === null ? [] : [{ path: `/block_rules/${at}`, message }]
    }),
  setup(conf) {
    const { rejected_code: status = 403, rejected_msg: text } = conf
    const ignoreCase = conf.case_insensitive ?? false
    const patterns = conf.block_rules.map((source) => createPattern(source, { ignoreCase }))
    const refusal = text === undefined ? { status } : { status, body: { error_msg: text } }
    const isBlocked = (target: string) => patterns.some((pattern) => pattern.test(target))
    return {
      rewrite(ctx) {
        // As it was sent, and as it is forwarded: an escape must not lead past a rule.
        const tidied = `${ctx.path}${ctx.query}`
        if (isBlocked(ctx.target)) return refusal
        return tidied !== ctx.target && isBlocked(tidied) ? refusal : undefined
      },
    }
  },
})
