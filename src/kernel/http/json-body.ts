import { isUtf8 } from 'node:buffer'
import { DomainError, type Issue, invalid } from '../errors.ts'
import { parseExactJson } from '../exact-json.ts'
import type { HttpApp } from './app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Numbers of the body that no double holds arrive as `RawNumber`, because they are handed on. */
    exactNumbers?: true
  }
}

const MAX_DEPTH = 100
const BYTE_ORDER_MARK = 0xfeff

export const MERGE_PATCH = 'application/merge-patch+json'

/**
 * Accepts these content types as JSON in one scope. Text that a database cannot keep, names that
 * reach into JavaScript's prototypes and deep nesting are refused here, so that nothing behind
 * has to think of them. An empty body is `undefined`: only a route with a body schema needs one.
 */
function useJson(app: HttpApp, types: readonly string[]): void {
  for (const type of types) {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, body, done) => {
      // Nobody reads the body of an unknown route; its answer is 404, whatever was sent.
      if (request.is404 || body.length === 0) return done(null, undefined)
      // RFC 7396: only PATCH gives this type a meaning.
      if (type === MERGE_PATCH && request.method !== 'PATCH') {
        return done(unsupportedMediaType(['application/json']))
      }
      try {
        const isExact = request.routeOptions.config.exactNumbers === true
        done(null, parseJson(body, isExact ? parseExactJson : JSON.parse))
      } catch (error) {
        done(error instanceof Error ? error : new Error('unreadable body'), undefined)
      }
    })
  }
}

/** What the house conventions accept (REST conventions §3). */
export function useHouseJson(app: HttpApp): void {
  useJson(app, ['application/json', MERGE_PATCH])
}

/** Says what can be sent instead, also in the header that RFC 9110 §15.5.16 gives to programs. */
export function unsupportedMediaType(supported: readonly string[]): DomainError {
  const what = supported.length > 0 ? `; send ${supported.join(' or ')}` : ''
  const message = `The content type of the body is not supported here${what}`
  const headers = supported.length > 0 ? { accept: supported.join(', ') } : {}
  return new DomainError('unsupported_media', 'unsupported_media_type', message, { headers })
}

export function invalidJson(message: string): DomainError {
  return new DomainError('invalid', 'invalid_json', message)
}

/** For JSON that comes in other ways, such as a field of a form; the same is refused. */
export function parseJson(body: Buffer, parse: (text: string) => unknown = JSON.parse): unknown {
  if (!isUtf8(body)) throw invalidJson('The body is not UTF-8')
  const text = body.toString()
  const value = parseText(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text, parse)
  // Only an escape can smuggle in U+0000 or half a surrogate pair: the bytes are valid UTF-8.
  const fault = findFault(value, text.includes('\\u'), 0)
  if (!fault) return value
  if (fault.rule !== 'text') throw invalidJson(fault.message)
  throw invalid([fault])
}

function parseText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable'
    throw invalidJson(`The body is not valid JSON: ${reason}`)
  }
}

function findFault(value: unknown, hasEscapes: boolean, depth: number): Issue | undefined {
  if (typeof value === 'string') return hasEscapes ? textFault(value) : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === MAX_DEPTH) return fault('depth', `The body is nested deeper than ${MAX_DEPTH}`)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const inner = findFault(value[index], hasEscapes, depth + 1)
      if (inner) return below(index, inner)
    }
    return undefined
  }
  for (const [name, member] of Object.entries(value)) {
    const inner = nameFault(name, member, hasEscapes) ?? findFault(member, hasEscapes, depth + 1)
    if (inner) return below(name, inner)
  }
  return undefined
}

function nameFault(name: string, member: unknown, hasEscapes: boolean): Issue | undefined {
  const isPoison =
    name === '__proto__' ||
    (name === 'constructor' &&
      typeof member === 'object' &&
      member !== null &&
      Object.hasOwn(member, 'prototype'))
  if (isPoison) return fault('name', `The body has a member with the forbidden name ${name}`)
  return hasEscapes ? textFault(name) : undefined
}

function textFault(text: string): Issue | undefined {
  if (text.isWellFormed() && !text.includes('\0')) return undefined
  return fault('text', 'text must not contain U+0000 or an unpaired surrogate')
}

function fault(rule: string, message: string): Issue {
  return { path: [], rule, message }
}

function below(segment: string | number, issue: Issue): Issue {
  return { ...issue, path: [segment, ...issue.path] }
}
