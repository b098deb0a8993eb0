import Type from 'typebox'
import { createPattern, patternFault } from '../expression/pattern.ts'
import { definePlugin, type PluginAnswer } from '../plane/plugin.ts'
import { renderTemplate } from '../plane/variables.ts'

const BAD = /[\0-\x20\x7f]/g

/** Sends the client to another address. */
export default definePlugin({
  name: 'redirect',
  priority: 900,
  schema: Type.Object({
    uri: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    regex_uri: Type.Optional(Type.Array(Type.String(), { minItems: 2, maxItems: 2 })),
    http_to_https: Type.Optional(Type.Boolean()),
    ret_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 399 })),
  }),
  findFaults({ uri, regex_uri: rule, http_to_https: secure }) {
    const given = [uri !== undefined, rule !== undefined, secure !== undefined]
    if (given.filter(Boolean).length !== 1) {
      return [{ path: '', message: 'exactly one of uri, regex_uri and http_to_https is required' }]
    }
    const message = rule === undefined ? null : patternFault(rule[0])
    return message === null ? [] : [{ path: '/regex_uri/0', message }]
  },
  setup({ uri, regex_uri: rule, http_to_https: isSecure, ret_code: code = 302 }, { tlsPort }) {
    const port = tlsPort === null || tlsPort === 443 ? '' : `:${tlsPort}`
    const pattern = rule ? createPattern(rule[0] ?? '') : null
    return {
      rewrite(ctx) {
        if (isSecure !== undefined) {
          if (ctx.isTls || !isSecure) return undefined
          // RFC 9110 §15.4.9: other methods must not become GET on the way.
          const status = ctx.method === 'GET' || ctx.method === 'HEAD' ? 301 : 308
          return redirectTo(`https://${ctx.host}${port}${ctx.path}${ctx.query}`, status)
        }
        if (uri !== undefined) return redirectTo(renderTemplate(ctx, uri), code)
        const groups = pattern?.match(ctx.path)
        if (!groups) return undefined
        const target = (rule?.[1] ?? '').replace(
          /\$(\d)/g,
          (_all, digit) => groups[Number(digit)] ?? '',
        )
        return redirectTo(renderTemplate(ctx, target), code)
      },
    }
  },
})

function redirectTo(location: string, status: number): PluginAnswer {
  return { status, headers: { Location: location.replace(BAD, encodeURIComponent) } }
}
