import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { lose } from '../translation.ts'
import { toAnswerHeaders, toRequestHeaders } from './header-rules.ts'

const HOST = /^[0-9a-zA-Z.-]+(:\d{1,5})?$/

export function toProxyRewrite(given: JsonObject, tell: Tell): JsonObject | undefined {
  const { host, method } = given
  if (method === 'PURGE') return lose(tell, 'has no equal: there a request cannot become PURGE')
  if (typeof host === 'string' && !HOST.test(host)) {
    return lose(tell, 'has no equal: there host holds letters, digits, dots and hyphens only')
  }
  const conf = withHeaders(given, toRequestHeaders, tell)
  // Something has to stand there, also where it only keeps the rules of a service away.
  const isEmpty = conf && Object.keys(conf).every((name) => name === '_meta')
  return isEmpty ? { ...conf, use_real_request_uri_unsafe: false } : conf
}

export function toResponseRewrite(given: JsonObject, tell: Tell): JsonObject | undefined {
  return withHeaders(given, toAnswerHeaders, tell)
}

function withHeaders(given: JsonObject, translate: typeof toAnswerHeaders, tell: Tell) {
  const { headers: own, ...conf } = given
  if (!isObject<Json>(own)) return given
  const headers = translate(own)
  if (headers === null) {
    return lose(tell, 'has no equal: there a header that is added has no colon in its value')
  }
  const isEmpty = Object.keys(headers).length === 0
  if (isEmpty || !isDeepStrictEqual(headers, own)) {
    tell('headers', 'are written otherwise: there a name has one value, and no group is empty')
  }
  return isEmpty ? conf : { ...conf, headers }
}

/** There a target has two characters at least, and a replacement as many as it likes. */
export function toRedirect(given: JsonObject, tell: Tell): JsonObject {
  const { uri, ...conf } = given
  if (typeof uri !== 'string' || uri.length > 1) return given
  tell('uri', 'is written as regex_uri, since there it has two characters at least')
  return { ...conf, regex_uri: ['^.*$', uri] }
}
