import Type from 'typebox'
import { createEntryFormat } from '../loggers/entry-format.ts'
import { compileFormat, formatFaults } from '../loggers/format.ts'
import { definePlugin } from '../plane/plugin.ts'

const SCHEMA = Type.Object({
  uri: Type.String({ pattern: '^https?://[^\\s/?#]+', maxLength: 2048, expects: 'must be a URL' }),
  auth_header: Type.Optional(
    Type.String({ pattern: '^[!-~ ]{1,4096}$', expects: 'must be the value of a header' }),
  ),
  timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
  ssl_verify: Type.Optional(Type.Boolean()),
  batch_max_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  log_format: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Tells another server of every request, in batches of JSON that never hold a request up. */
export default definePlugin({
  name: 'http-logger',
  priority: 410,
  schema: SCHEMA,
  secrets: ['auth_header'],
  unsupported: new Map<string, unknown>([
    ['include_req_body', false],
    ['include_req_body_expr', undefined],
    ['include_resp_body', false],
    ['include_resp_body_expr', undefined],
    ['max_req_body_bytes', undefined],
    ['max_resp_body_bytes', undefined],
    ['concat_method', 'json'],
    ['buffer_duration', undefined],
    ['inactive_timeout', undefined],
    ['max_retry_count', undefined],
    ['retry_delay', undefined],
    ['name', undefined],
  ]),
  findFaults({ uri, log_format: format = {} }) {
    const fault = { path: '/uri', message: 'must be a URL' }
    return [...(URL.canParse(uri) ? [] : [fault]), ...formatFaults(format)]
  },
  setup(conf, { loggers, clock, metadata }) {
    const target = {
      uri: conf.uri,
      authorization: conf.auth_header,
      timeoutMs: (conf.timeout ?? 3) * 1000,
      verifiesTls: conf.ssl_verify ?? false,
    }
    const { batch_max_size: maxEntries = 1000, log_format: format } = conf
    const render = createEntryFormat(format && compileFormat(format), metadata)
    return { log: (ctx) => loggers.toHttp(target, maxEntries).add(render(ctx, clock.now())) }
  },
})
