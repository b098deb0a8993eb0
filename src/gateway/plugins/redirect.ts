import Type, { type Static } from 'typebox'
import { createPattern, patternFault } from '../expression/pattern.ts'
import { parseAuthority } from '../plane/authority.ts'
import type { Context } from '../plane/context.ts'
import { encodeTarget } from '../plane/encode-target.ts'
import { definePlugin, type PluginAnswer } from '../plane/plugin.ts'
import { isBehindProxy, publicSideOf } from '../plane/public-side.ts'
import { compileTemplate, templateFault } from '../plane/template.ts'

const SCHEMA = Type.Object({
  uri: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  regex_uri: Type.Optional(
    Type.Array(Type.String({ maxLength: 4096 }), { minItems: 2, maxItems: 2 }),
  ),
  http_to_https: Type.Optional(Type.Boolean()),
  ret_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 399 })),
  append_query_string: Type.Optional(Type.Boolean()),
})

/** Sends the client to another address. */
export default definePlugin({
  name: 'redirect',
  priority: 900,
  schema: SCHEMA,
  unsupported: new Map([['encode_uri', false]]),
  findFaults(conf) {
    const { uri, regex_uri: rule, http_to_https: secure, append_query_string: appends } = conf
    const given = [uri !== undefined, rule !== undefined, secure !== undefined]
    if (given.filter(Boolean).length !== 1) {
      return [{ path: '', message: 'exactly one of uri, regex_uri and http_to_https is required' }]
    }
    if (secure !== undefined && appends) {
      const message = 'must not stand beside http_to_https, which keeps the query anyway'
      return [{ path: '/append_query_string', message }]
    }
    return [
      ...toFaults('/uri', templateFault(uri ?? '')),
      ...(rule === undefined ? [] : ruleFaults(rule)),
    ]
  },
  setup(conf, { tlsPort }) {
    const ownPort = tlsPort === null || tlsPort === 443 ? '' : `:${tlsPort}`
    const { http_to_https: isSecure, append_query_string: appends, ret_code: status = 302 } = conf
    const find = createTarget(conf)
    return {
      rewrite(ctx) {
        if (isSecure !== undefined) {
          // Behind a proxy that ends TLS every request comes as http, and would be sent back for ever.
          const { scheme, host = '' } = publicSideOf(ctx)
          if (scheme === 'https' || !isSecure) return undefined
          // RFC 9110 §15.4.9: other methods must not become GET on the way.
          const status = ctx.method === 'GET' || ctx.method === 'HEAD' ? 301 : 308
          const name = parseAuthority(host) ?? ctx.host
          // No header says where a proxy takes TLS: X-Forwarded-Port is the port of this very request.
          const port = isBehindProxy(ctx) ? '' : ownPort
          return redirectTo(`https://${name}${port}${ctx.path}${ctx.query}`, status)
        }
        const target = find(ctx)
        if (target === undefined) return undefined
        return redirectTo(appends ? withQuery(target, ctx.query) : target, status)
      },
    }
  },
})

/** Where to; undefined when the pattern does not match and the request goes on. */
function createTarget({ uri, regex_uri: rule }: Static<typeof SCHEMA>) {
  const [source = '', replacement = ''] = rule ?? []
  const template = compileTemplate(uri ?? replacement)
  if (!rule) return (ctx: Context) => template.render(ctx)
  const pattern = createPattern(source)
  return (ctx: Context) => {
    const groups = pattern.match(ctx.path)
    return groups ? template.render(ctx, groups) : undefined
  }
}

function ruleFaults([source = '', replacement = '']: readonly string[]) {
  const broken = patternFault(source)
  if (broken) return toFaults('/regex_uri/0', broken)
  return toFaults('/regex_uri/1', templateFault(replacement, createPattern(source).groups))
}

/** The query of the client after one that the target has already. */
function withQuery(target: string, query: string): string {
  if (query === '') return target
  return target.includes('?') ? `${target}&${query.slice(1)}` : `${target}${query}`
}

function redirectTo(location: string, status: number): PluginAnswer {
  return { status, headers: { Location: encodeTarget(location) } }
}

function toFaults(path: string, message: string | null) {
  return message === null ? [] : [{ path, message }]
}
