import Type from 'typebox'
import { createEntryFormat } from '../loggers/entry-format.ts'
import { compileFormat, formatFaults } from '../loggers/format.ts'
import { definePlugin } from '../plane/plugin.ts'

const SCHEMA = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 1024 }),
  log_format: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Writes a line of JSON for every request into a file of the operator's choice. */
export default definePlugin({
  name: 'file-logger',
  priority: 399,
  schema: SCHEMA,
  unsupported: new Map<string, unknown>([
    ['include_req_body', false],
    ['include_req_body_expr', undefined],
    ['include_resp_body', false],
    ['include_resp_body_expr', undefined],
    ['max_req_body_bytes', undefined],
    ['max_resp_body_bytes', undefined],
    ['match', undefined],
  ]),
  findFaults({ path, log_format: format = {} }, { logPathFault }) {
    const message = logPathFault(path)
    return [...(message === null ? [] : [{ path: '/path', message }]), ...formatFaults(format)]
  },
  setup({ path, log_format: format }, { loggers, clock, metadata }) {
    const render = createEntryFormat(format && compileFormat(format), metadata)
    return { log: (ctx) => loggers.toFile(path).add(render(ctx, clock.now())) }
  },
})
