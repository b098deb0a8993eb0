import type { JsonApiDeps } from '../deps.ts'
import { JSONAPI } from '../errors.ts'
import { type Asked, selfOf } from '../request.ts'

/** Every type that the caller may read, by its name (contract §3.1). */
export function renderEntryPoint(
  asked: Asked,
  { settings }: Pick<JsonApiDeps, 'settings'>,
): string {
  const { catalogue, base, request, viewer } = asked
  const mayRead = viewer.level !== null || settings().publicRead
  const readable = catalogue.all.filter(
    (resource) =>
      mayRead && (resource.kind !== 'entry' || resource.type.publicRead || viewer.level !== null),
  )
  const links = Object.fromEntries(
    readable.map(({ name, path }) => [name, { href: `${base}${path}` }]),
  )
  const uuid = request.actor?.consumerId
  const me = { href: `${base}/user/user/${uuid}`, meta: { id: uuid } }
  const meta = uuid === undefined ? {} : { meta: { links: { me } } }
  const document = { jsonapi: JSONAPI, data: [], ...meta }
  return JSON.stringify({ ...document, links: { self: { href: selfOf(asked) }, ...links } })
}
