import { actorOf, writerOf } from '#access'
import type { Entry, EntryInput } from '#content'
import { compare, seenByWriter, UNSEEN } from '#content-dialect'
import type { Include } from '#content-query'
import { DomainError, hasAccess } from '#kernel'
import { type JsonObject, parseDocument, parseIdentifier, parseLinkage } from '../body/document.ts'
import { onlyAdmins } from '../body/input.ts'
import { issueAt, refusalAt, unknownResource } from '../errors.ts'
import { linkage } from '../query/include.ts'
import { createFinder, fixed } from '../read/find.ts'
import type { Related } from '../read/related.ts'
import type { ReadDeps } from '../read.ts'
import type { Asked } from '../request.ts'
import type { EntryResource } from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'
import type { Named } from '../target.ts'
import { done, versionFor, type WriteTools } from './tools.ts'

interface Linked {
  readonly ids: readonly string[]
  readonly total: number
}

/** Changes of one relationship alone (contract §7.3). */
export function createRelationships(deps: ReadDeps, related: Related, tools: WriteTools) {
  const { content, directory } = deps
  const finder = createFinder(content)
  return { change }

  async function change(asked: Asked, { resource, id, name }: Named): Promise<Buffer | undefined> {
    if (resource.kind !== 'entry') throw unknownResource()
    if (name === 'uid') return setAuthor(asked, resource, id)
    const relation = resource.names.relation.get(name)
    if (!relation) throw unknownResource(`There is no relationship ${name}`)
    const { method } = asked.request
    if (!relation.many && method !== 'PATCH') throw notMany(name)
    if (method === 'POST') related.parseLinkageQuery(asked, { resource, id, name })
    const document = parseDocument(asked.request)
    const ids = [...new Set(parseLinkage(asked.catalogue, relation, document['data'], '/data'))]
    const current = await tools.findCurrent(asked, resource, id)
    // The language variant that is changed is the one that is shown.
    const here = current.locale === null ? asked : { ...asked, locale: current.locale }
    const find = (more?: Partial<Include>) => findLinked(here, resource, id, relation, more)
    const values = { [relation.attribute.name]: await valueFor(relation, method, ids, find) }
    const { entry } = await save(asked, resource, current, { values }, document)
    const isSeen = method === 'POST' && seenByWriter(asked.viewer, entry) !== null
    if (!isSeen || (await find({ limit: 0 })).total <= ids.length) return done(asked)
    return Buffer.from(await related.renderLinkage(here, { resource, id, name }))
  }

  async function save(
    asked: Asked,
    resource: EntryResource,
    current: Entry,
    input: EntryInput,
    document: JsonObject,
  ) {
    const options = { ifVersion: versionFor(asked, current), status: 'keep' } as const
    const actor = writerOf(asked.request)
    const run = () =>
      content.entries.update(actor, resource.type, { id: current.id }, input, options)
    return tools.perform(resource, document, [], run).catch(atData)
  }

  /** All of them, however many. */
  async function findLinked(
    asked: Asked,
    resource: EntryResource,
    id: string,
    { attribute }: Relation,
    more: Partial<Include> = {},
  ): Promise<Linked> {
    const unseen = { ...asked, viewer: UNSEEN }
    const include = { ...linkage(unseen, attribute), ...more }
    const entry = await finder.find(unseen, resource, id, 'working', fixed([include]))
    const found = entry?.included.get(attribute.name)
    if (found?.kind !== 'ids') return { ids: [], total: 0 }
    return { ids: found.ids.map(({ documentId }) => documentId), total: found.total }
  }

  async function setAuthor(asked: Asked, resource: EntryResource, id: string) {
    const document = parseDocument(asked.request)
    if (!hasAccess(actorOf(asked.request), 'admin')) throw onlyAdmins('uid')
    const { type, id: uuid } = parseIdentifier(document['data'], '/data')
    const at = { pointer: '/data' }
    if (type !== 'user--user') {
      throw refusalAt('unprocessable', 'wrong_target_type', at, 'uid takes user--user')
    }
    const user = await directory.byUuid(uuid.toLowerCase())
    if (!user) throw refusalAt('not_found', 'target_not_found', at, `There is no ${uuid}`)
    const current = await tools.findCurrent(asked, resource, id)
    await save(asked, resource, current, { values: {}, createdBy: user.id }, document)
    return done(asked)
  }
}

/** Adding a member that is there, or removing one that is not, changes nothing. */
async function valueFor(
  { attribute, many }: Relation,
  method: string,
  ids: readonly string[],
  find: (more?: Partial<Include>) => Promise<Linked>,
): Promise<unknown> {
  if (method === 'PATCH') return many ? ids : (ids[0] ?? null)
  const isMedia = attribute.type === 'media'
  const among = isMedia ? undefined : { filter: compare('documentId', 'in', ids) }
  const { ids: present } = await find(among)
  const [linked, named] = [new Set(present), new Set(ids)]
  const added = ids.filter((id) => !linked.has(id))
  if (isMedia) {
    return method === 'POST' ? [...present, ...added] : present.filter((id) => !named.has(id))
  }
  return method === 'POST' ? { connect: added } : { disconnect: ids.filter((id) => linked.has(id)) }
}

function notMany(name: string): DomainError {
  const message = `${name} is a relationship to one; it can only be replaced`
  return new DomainError('conflict', 'to_one_relationship', message)
}

/** The body is the linkage itself: there is no member of this name in it. */
function atData(error: unknown): never {
  if (!(error instanceof DomainError) || error.issues.length === 0) throw error
  const { kind, code, message } = error
  const issues = error.issues.map((issue) =>
    issueAt({ pointer: '/data' }, issue.rule, issue.message),
  )
  throw new DomainError(kind, code, message, { issues })
}
