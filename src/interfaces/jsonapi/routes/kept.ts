import type { Read } from '#content'
import type { JsonApiDeps } from '../deps.ts'
import { type Asked, selfOf } from '../request.ts'
import type { UserDirectory } from '../users.ts'

type Deps = Pick<JsonApiDeps, 'content' | 'settings'> & {
  readonly users: Pick<UserDirectory, 'revision'>
}

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ content, settings, users }: Deps) {
  return (asked: Asked, read: () => Promise<Read>): Promise<Buffer> => {
    const { request, reply, catalogue } = asked
    setCaching(asked)
    const seen = users.revision()
    const holds = () =>
      content.model() === catalogue.model && users.revision() === seen && settings().publicRead
    return content.kept({ request, reply, key: keyOf(asked, seen), holds }, read)
  }
}

/** Everything but the stored entries that an answer depends on. */
function keyOf(asked: Asked, usersRevision: number): string {
  const { catalogue, viewer, locale, reply } = asked
  const seen = `${viewer.level} ${catalogue.model.revision} ${usersRevision} ${locale}`
  return `jsonapi ${seen} ${reply.getHeader('content-type')} ${selfOf(asked)}`
}

/** Who reads with a key may see more, so that is not for shared caches. */
function setCaching({ request, reply }: Asked): void {
  const isPublic = request.actor === null
  reply.header(
    'cache-control',
    isPublic ? 'public, max-age=0, must-revalidate' : 'private, no-cache',
  )
}
