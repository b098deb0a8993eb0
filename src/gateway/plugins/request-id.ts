import Type from 'typebox'
import { removeAnswerHeader, setAnswerHeader, setForwardHeader } from '../plane/headers.ts'
import { definePlugin } from '../plane/plugin.ts'

/** Carries the id of the request under a name of the operator's choice. */
export default definePlugin({
  name: 'request-id',
  priority: 12015,
  schema: Type.Object({
    header_name: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', expects: 'must be the name of a header' }),
    ),
    include_in_response: Type.Optional(Type.Boolean()),
  }),
  setup({ header_name: name = 'X-Request-Id', include_in_response: isShown = true }) {
    const isUsual = name.toLowerCase() === 'x-request-id'
    return {
      rewrite(ctx) {
        // Forwarded under its usual name in any case (contract §11).
        if (!isUsual) setForwardHeader(ctx, name, ctx.requestId)
        return undefined
      },
      headerFilter(ctx) {
        if (isUsual) ctx.isIdHidden = !isShown
        else if (isShown) setAnswerHeader(ctx, name, ctx.requestId)
        else removeAnswerHeader(ctx, name)
      },
    }
  },
})
