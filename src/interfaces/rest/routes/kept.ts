import { weakEtag } from '#kernel'
import type { RestContent } from '../deps.ts'
import { JSON_TYPE } from './answer.ts'
import type { Asked } from './request.ts'

/** What a read answers, and the types it was made from. */
export interface Read {
  readonly text: string
  readonly typeNos: readonly number[]
}

/** Headers that belong to the answer itself; the others are of the exchange or of the version. */
const OWN_HEADERS = ['etag', 'link', 'x-total-count', 'x-ignored-parameters']

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ answers }: Pick<RestContent, 'answers'>) {
  return async (asked: Asked, origin: string, read: () => Promise<Read>): Promise<Buffer> => {
    const { request, reply } = asked
    reply.type(JSON_TYPE)
    // Whoever prefers something may get another answer to the same question.
    const key = request.headers['prefer'] === undefined ? keyOf(asked, origin) : undefined
    const known = key === undefined ? undefined : answers.find(key)
    if (known) {
      reply.headers(known.headers)
      return known.body
    }
    const since = answers.ask()
    const { text, typeNos } = await read()
    const body = Buffer.from(text)
    if (!reply.hasHeader('etag')) reply.header('etag', weakEtag(body))
    if (key !== undefined) answers.keep(key, since, typeNos, { body, headers: ownHeaders(asked) })
    return body
  }
}

/** Everything but the stored entries that an answer depends on; links in it begin with our origin. */
function keyOf({ request, viewer, resource }: Asked, origin: string): string {
  const { model, type, version } = resource
  const seen = `${version} ${viewer.level} ${model.revision} ${type.no}`
  return `rest ${seen} ${origin} ${request.url}`
}

function ownHeaders({ reply }: Asked): Record<string, string> {
  const given = OWN_HEADERS.filter((name) => reply.hasHeader(name))
  return Object.fromEntries(given.map((name) => [name, String(reply.getHeader(name))]))
}
