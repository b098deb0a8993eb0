import Type from 'typebox'
import { definePlugin } from '../plane/plugin.ts'

/** Requests are counted with or without this plugin; it can have names in their labels instead of ids. */
export default definePlugin({
  name: 'prometheus',
  priority: 500,
  schema: Type.Object({ prefer_name: Type.Optional(Type.Boolean()) }),
  setup({ prefer_name: prefersNames = false }) {
    return {
      log(ctx) {
        ctx.prefersNames = prefersNames
      },
    }
  },
})
