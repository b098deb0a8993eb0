import { actorOf } from '#access'
import type { Entry, EntryInput } from '#content'
import type { Include } from '#content-query'
import { DomainError, hasAccess } from '#kernel'
import { parseDocument } from '../body/document.ts'
import { parseIdentifier, parseLinkage } from '../body/identifiers.ts'
import { badDocument, refusalAt, unknownResource } from '../errors.ts'
import { linkage } from '../query/include.ts'
import { createFinder, fixed } from '../read/find.ts'
import type { Related } from '../read/related.ts'
import type { ReadDeps } from '../read.ts'
import type { Asked } from '../request.ts'
import { expectedVersion } from '../routes/sending.ts'
import type { EntryResource, Resource } from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'
import type { WriteTools } from '../write.ts'

type Method = 'POST' | 'PATCH' | 'DELETE'

/** Changes of one relationship alone (contract §7.3). */
export function createRelationships(deps: ReadDeps, related: Related, tools: WriteTools) {
  const { content, directory } = deps
  const finder = createFinder(content)
  return { change }

  async function change(
    asked: Asked,
    resource: Resource,
    id: string,
    name: string,
  ): Promise<Buffer | undefined> {
    if (resource.kind !== 'entry') throw unknownResource()
    if (name === 'uid') return setAuthor(asked, resource, id)
    const relation = resource.names.relation.get(name)
    if (!relation) throw unknownResource(`There is no relationship ${name}`)
    const method = methodOf(asked)
    if (!relation.many && method !== 'PATCH') throw notMany(name)
    const document = parseDocument(asked.request)
    const ids = [...new Set(parseLinkage(asked.catalogue, relation, document['data'], '/data'))]
    const current = await tools.findCurrent(asked, resource, id)
    const values = {
      [relation.attribute.name]: await valueFor(asked, resource, current, relation, method, ids),
    }
    await save(asked, resource, current, { values }, document)
    if (method !== 'POST') return done(asked)
    return (await lengthOf(asked, resource, id, relation)) > ids.length
      ? Buffer.from(await related.renderLinkage(here(asked, current), resource, id, name))
      : done(asked)
  }

  async function save(
    asked: Asked,
    resource: EntryResource,
    current: Entry,
    input: EntryInput,
    document: Readonly<Record<string, unknown>>,
  ) {
    const ifVersion = expectedVersion(asked.request.headers['if-match'], current)
    const target = { id: current.id }
    const run = () =>
      content.entries.update(actorOf(asked.request), resource.type, target, input, {
        ...{ ifVersion, status: 'keep' },
      })
    await tools.perform(resource, document, [], run).catch(atData)
  }

  /** Adding a member that is there, or removing one that is not, changes nothing. */
  async function valueFor(
    asked: Asked,
    resource: EntryResource,
    current: Entry,
    relation: Relation,
    method: Method,
    ids: readonly string[],
  ): Promise<unknown> {
    if (method === 'PATCH') return relation.many ? ids : (ids[0] ?? null)
    const isMedia = relation.attribute.type === 'media'
    const present = await presentOf(asked, resource, current, relation, isMedia ? null : ids)
    const added = ids.filter((id) => !present.includes(id))
    if (isMedia) {
      return method === 'POST' ? [...present, ...added] : present.filter((id) => !ids.includes(id))
    }
    return method === 'POST'
      ? { connect: added }
      : { disconnect: ids.filter((id) => present.includes(id)) }
  }

  /** Which of these are linked now; null: all of them. */
  async function presentOf(
    asked: Asked,
    resource: EntryResource,
    current: Entry,
    relation: Relation,
    ids: readonly string[] | null,
  ): Promise<readonly string[]> {
    const compare = { kind: 'compare', operator: 'in', fold: false } as const
    const filter = ids && { ...compare, field: 'documentId', values: ids }
    return loaded(asked, resource, current, { ...linkage(relation), filter }).then(
      (included) => included.ids,
    )
  }

  async function lengthOf(asked: Asked, resource: EntryResource, id: string, relation: Relation) {
    const current = await tools.findCurrent(asked, resource, id)
    return (await loaded(asked, resource, current, linkage(relation))).total
  }

  async function loaded(asked: Asked, resource: EntryResource, current: Entry, include: Include) {
    const { documentId } = current
    const at = here(asked, current)
    const entry = await finder.find(at, resource, documentId, 'working', fixed([include]))
    const found = entry?.included.get(include.field)
    if (found?.kind !== 'ids') return { ids: [], total: 0 }
    return { ids: found.ids.map((each) => each.documentId), total: found.total }
  }

  async function setAuthor(asked: Asked, resource: EntryResource, id: string) {
    const document = parseDocument(asked.request)
    const actor = actorOf(asked.request)
    if (!hasAccess(actor, 'admin')) {
      throw new DomainError('forbidden', 'forbidden', 'Setting uid needs the level admin', {
        facts: { required: 'admin' },
      })
    }
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

function methodOf({ request }: Asked): Method {
  if (request.method === 'POST' || request.method === 'DELETE') return request.method
  return 'PATCH'
}

/** The language variant that is changed is the one that is shown. */
function here(asked: Asked, { locale }: Entry): Asked {
  return locale === null ? asked : { ...asked, locale }
}

function done({ reply }: Asked): undefined {
  reply.code(204).removeHeader('content-type')
}

function notMany(name: string): DomainError {
  const message = `${name} is a relationship to one; it can only be replaced`
  return new DomainError('conflict', 'to_one_relationship', message)
}

/** The body is the linkage itself: there is no member of this name in it. */
function atData(error: unknown): never {
  if (!(error instanceof DomainError) || error.issues.length === 0) throw error
  const { kind, code, message } = error
  const issues = error.issues.map((issue) => badDocument('/data', issue.message).issues[0] ?? issue)
  const named = issues.map((issue, at) => ({ ...issue, rule: error.issues[at]?.rule ?? code }))
  throw new DomainError(kind, code, message, { issues: named })
}
