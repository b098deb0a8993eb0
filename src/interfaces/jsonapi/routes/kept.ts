import { weakEtag } from '#kernel'
import type { JsonApiDeps } from '../deps.ts'
import { type Asked, selfOf } from '../request.ts'
import type { UserDirectory } from '../users.ts'

/** What a read answers, and the types it was made from; null: it depends on more than entries. */
export interface Read {
  readonly text: string
  readonly typeNos: readonly number[] | null
  readonly etag?: string
}

type Deps = Pick<JsonApiDeps, 'content'> & { readonly users: Pick<UserDirectory, 'revision'> }

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ content: { answers }, users }: Deps) {
  return async (asked: Asked, read: () => Promise<Read>): Promise<Buffer> => {
    const { reply } = asked
    setCaching(asked)
    const key = keyOf(asked)
    const known = answers.find(key)
    if (known) {
      reply.headers(known.headers)
      return known.body
    }
    const since = answers.ask()
    const { text, typeNos, etag } = await read()
    const body = Buffer.from(text)
    const headers = { etag: etag ?? weakEtag(body) }
    reply.headers(headers)
    if (typeNos) answers.keep(key, since, typeNos, { body, headers })
    return body
  }

  /** Everything but the stored entries that an answer depends on. */
  function keyOf(asked: Asked): string {
    const { catalogue, viewer, locale, reply } = asked
    const seen = `${viewer.level} ${catalogue.model.revision} ${users.revision()} ${locale}`
    return `jsonapi ${seen} ${reply.getHeader('content-type')} ${selfOf(asked)}`
  }
}

/** Who reads with a key may see more, so that is not for shared caches. */
function setCaching({ request, reply }: Asked): void {
  const isPublic = request.actor === null
  reply.header(
    'cache-control',
    isPublic ? 'public, max-age=0, must-revalidate' : 'private, no-cache',
  )
}
