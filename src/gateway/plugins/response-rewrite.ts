import Type from 'typebox'
import { compileExpression } from '../expression/expression.ts'
import { addAnswerHeader, removeAnswerHeader, setAnswerHeader } from '../plane/headers.ts'
import { definePlugin } from '../plane/plugin.ts'
import { lookUp, renderTemplate } from '../plane/variables.ts'
import { varsFaults } from '../resources/faults.ts'

const VALUE = Type.Union([Type.String(), Type.Number()], { expects: 'must be a text or a number' })

/** Changes the answer on its way to the client. */
export default definePlugin({
  name: 'response-rewrite',
  priority: 899,
  schema: Type.Object({
    status_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 598 })),
    body: Type.Optional(Type.String()),
    headers: Type.Optional(
      Type.Object({
        set: Type.Optional(Type.Record(Type.String(), VALUE)),
        add: Type.Optional(
          Type.Array(Type.String({ pattern: '^[^:\\s]+:', expects: 'must be "Name: value"' })),
        ),
        remove: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
      }),
    ),
    vars: Type.Optional(Type.Array(Type.Unknown())),
  }),
  findFaults: ({ vars }) => (vars === undefined ? [] : varsFaults(vars, '/vars')),
  setup({ status_code: status, body, headers = {}, vars }) {
    const condition = vars?.length ? compileExpression(vars) : null
    const { set = {}, add = [], remove = [] } = headers
    const replaced = body === undefined ? null : Buffer.from(body)
    return {
      headerFilter(ctx) {
        if (condition && !condition((name) => lookUp(ctx, name))) return
        if (status !== undefined) ctx.status = status
        for (const name of remove) removeAnswerHeader(ctx, name)
        for (const [name, value] of Object.entries(set)) {
          setAnswerHeader(ctx, name, renderTemplate(ctx, String(value)))
        }
        for (const line of add) {
          const colon = line.indexOf(':')
          addAnswerHeader(
            ctx,
            line.slice(0, colon),
            renderTemplate(ctx, line.slice(colon + 1).trim()),
          )
        }
        if (replaced) ctx.replacedBody = replaced
      },
    }
  },
})
