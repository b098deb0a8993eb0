import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '#http-text'
import { DomainError } from '#kernel'
import { issueAt, MEDIA_TYPE, refusalAt } from '../errors.ts'

const VARY = 'Accept, Accept-Language, Authorization, X-API-Key, X-API-Version'
const VERSION = '1'

/** Before the guard: what every answer of the mount says, refusals too (contract §2). */
export function onRequest(_request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-api-version', VERSION)
  addVary(reply, VARY)
}

interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** The content type of the answer; throws when the client accepts none that there is. */
export function negotiate({ headers }: FastifyRequest, base: string): string {
  checkVersion(headers['x-api-version'])
  const named = parseRanges(headers.accept ?? '').filter(({ type }) => type === MEDIA_TYPE)
  const fitting = named.filter(({ parameters }) => isPlain(parameters))
  if (named.length > 0 && fitting.length === 0) {
    const message = `${MEDIA_TYPE} is served without parameters other than profile`
    throw refusalAt('not_acceptable', 'not_acceptable', { header: 'Accept' }, message)
  }
  const profile = `${base}/profiles/v${VERSION}`
  const isProfiled = fitting.some(({ parameters }) =>
    (parameters.get('profile') ?? '').split(/\s+/).includes(profile),
  )
  return isProfiled ? `${MEDIA_TYPE};profile="${profile}"` : MEDIA_TYPE
}

function checkVersion(given: string | string[] | undefined): void {
  if (given === undefined || given === VERSION) return
  const message = `The version served is ${VERSION}`
  throw new DomainError('not_acceptable', 'unsupported_version', message, {
    issues: [issueAt({ header: 'X-API-Version' }, 'unsupported_version', message)],
    facts: { supported: [VERSION] },
  })
}

/** No extension is offered; `q` belongs to the header and not to the type. */
function isPlain(parameters: ReadonlyMap<string, string>): boolean {
  return [...parameters.keys()].every((name) => name === 'profile' || name === 'q')
}

/** Throws 415 unless the body is said to be a JSON:API document. */
export function requireDocumentType({ headers }: FastifyRequest): void {
  const [range] = parseRanges(headers['content-type'] ?? '')
  const isFit =
    range?.type === MEDIA_TYPE && [...range.parameters.keys()].every((name) => name === 'profile')
  if (isFit) return
  const message = `The body must be sent as ${MEDIA_TYPE}, without parameters other than profile`
  throw refusalAt(
    'unsupported_media',
    'unsupported_media_type',
    { header: 'Content-Type' },
    message,
  )
}

/** The type and parameters of each element; quotes may hold commas and semicolons. */
function parseRanges(header: string): MediaRange[] {
  return splitOutside(header, ',')
    .map((element) => splitOutside(element, ';').map((part) => part.trim()))
    .filter(([type]) => type !== undefined && type !== '')
    .map(([type = '', ...parameters]) => ({
      type: type.toLowerCase(),
      parameters: new Map(parameters.filter((part) => part !== '').map(toParameter)),
    }))
}

function toParameter(text: string): [string, string] {
  const end = text.indexOf('=')
  if (end === -1) return [text.toLowerCase(), '']
  const value = text.slice(end + 1).trim()
  const bare = /^"(.*)"$/.exec(value)?.[1] ?? value
  return [text.slice(0, end).trim().toLowerCase(), bare]
}

function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let isQuoted = false
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    if (isQuoted || text[at] !== separator) continue
    parts.push(text.slice(from, at))
    from = at + 1
  }
  return [...parts, text.slice(from)]
}
