import type { Entry, Included, MediaFile, Read } from '#content'
import type { Include } from '#content-query'
import { badParameter, unknownResource } from '../errors.ts'
import { parseConditions } from '../query/conditions.ts'
import { includesFor, linkage, parseInclude, type Wanted } from '../query/include.ts'
import { pageIn, SPARSE_PAGES } from '../query/page.ts'
import { ofBase, onlyValue } from '../query/parameters.ts'
import {
  includesOf,
  parseShowing,
  pieceOf,
  type Reading,
  type Showing,
  selectionOf,
} from '../query/parse.ts'
import { questionOf } from '../query/question.ts'
import type { ReadDeps } from '../read.ts'
import { renderDocument } from '../render/document.ts'
import { linkageOf, typeIdentifier, userIdentifier } from '../render/entry.ts'
import { fileIdentifier, renderMedia } from '../render/files.ts'
import { createIncluded } from '../render/included.ts'
import { renderNodeType, renderUser } from '../render/others.ts'
import type { View } from '../render/view.ts'
import { type Asked, selfOf } from '../request.ts'
import { pageLinks, renderMany, renderOne, viewOf } from '../routes/sending.ts'
import { bundleOf, type EntryResource, type Resource } from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'
import { createFiles } from './files.ts'
import { createFinder, fixed } from './find.ts'

/** What a relationship leads to, and the relationship itself (contract §4). */
export function createRelated(deps: ReadDeps) {
  const { content, directory } = deps
  const finder = createFinder(content)
  const files = createFiles(deps)
  return { related, relationship, renderLinkage }

  async function related(
    asked: Asked,
    resource: Resource,
    id: string,
    name: string,
  ): Promise<Read> {
    if (resource.kind === 'entry') {
      return { text: await relatedOf(asked, resource, id, name), typeNos: null }
    }
    return { text: await fileOf(asked, resource, id, name), typeNos: null }
  }

  async function relatedOf(asked: Asked, resource: EntryResource, id: string, name: string) {
    if (name === 'uid') return author(asked, resource, id)
    if (name === 'node_type') return ownType(asked, resource, id)
    const relation = resource.names.relation.get(name)
    if (!relation) throw unknownResource(`There is no relationship ${name}`)
    const target = targetOf(asked, relation)
    return target
      ? relatedEntries(asked, resource, id, relation, target)
      : relatedFiles(asked, resource, id, relation)
  }

  async function relatedEntries(
    asked: Asked,
    resource: EntryResource,
    id: string,
    relation: Relation,
    target: EntryResource,
  ): Promise<string> {
    const field = relation.attribute.name
    const kind = `${field} ${target.type.no}`
    const question = await questionOf(asked, kind, directory, (own) =>
      toRelated(own, target, field),
    )
    // What is wrong with the query is told before what is wrong with the entry.
    const { page, showing } = question.sent()
    const { entry } = await finder.get(asked, resource, id, {
      ...question,
      include: (slots) => [question.read(slots).include],
    })
    const found = entry.included.get(field)
    const entries = entriesOf(found)
    const view = viewOf(asked, showing, await directory.ofEntries(entries))
    const [only] = entries
    if (relation.many) {
      const total = found?.kind === 'entries' ? found.total : entries.length
      return renderMany(asked, view, showing, entries, { page: page.of([]), total })
    }
    return only ? renderOne(asked, view, showing, only) : nothing(asked, showing)
  }

  async function relatedFiles(
    asked: Asked,
    resource: EntryResource,
    id: string,
    relation: Relation,
  ): Promise<string> {
    const { fields } = parseFieldsOnly(asked, resource)
    const wanted = mediaInclude(asked)
    const { entry } = await finder.get(asked, resource, id, fixed([wholeOf(relation)]))
    const found = filesOf(entry.included.get(relation.attribute.name))
    const view = viewOf(asked, { fields, include: wanted }, new Map())
    const included = createIncluded(view)
    for (const file of found) included.skip(`media--${bundleOf(file).bundle}`, file.uuid)
    if (wanted) for (const file of found) included.ofFile(file, wanted)
    const data = found.map((file) => renderMedia(file, view))
    const more = { included: wanted && included.texts, links: { self: selfOf(asked) } }
    if (!relation.many) return renderDocument({ data: data[0] ?? 'null', ...more })
    const page = { offset: 0, limit: Math.max(found.length, 1) }
    const links = pageLinks(asked, page, found.length)
    return renderDocument({ ...more, data: `[${data}]`, meta: { count: found.length }, links })
  }

  async function author(asked: Asked, resource: EntryResource, id: string): Promise<string> {
    const { entry } = await finder.get(asked, resource, id, fixed([]))
    const { showing, view } = await viewFor(asked, 'user--user', entry)
    const user = entry.createdBy === null ? undefined : view.users.get(entry.createdBy)
    return user ? single(asked, showing, renderUser(user, view)) : nothing(asked, showing)
  }

  async function ownType(asked: Asked, resource: EntryResource, id: string): Promise<string> {
    const { entry } = await finder.get(asked, resource, id, fixed([]))
    const { showing, view } = await viewFor(asked, 'node_type--node_type', entry)
    return single(asked, showing, renderNodeType(entry.type, view))
  }

  async function viewFor(asked: Asked, type: string, entry: Entry) {
    const target = asked.catalogue.find(type)
    if (!target) throw unknownResource()
    const showing = parseShowing(asked, target)
    const view = viewOf(asked, showing, await directory.ofEntries([entry]))
    return { showing, view }
  }

  async function fileOf(asked: Asked, resource: Resource, id: string, name: string) {
    if (resource.kind !== 'media' || resource.media.fileField !== name) throw unknownResource()
    const target = asked.catalogue.find('file--file')
    if (target?.kind !== 'file') throw unknownResource()
    const file = await files.find(asked.viewer, resource, id)
    return files.render(asked, target, [file], false)
  }

  async function relationship(
    asked: Asked,
    resource: Resource,
    id: string,
    name: string,
  ): Promise<Read> {
    if (resource.kind === 'entry') {
      return { text: await renderLinkage(asked, resource, id, name), typeNos: null }
    }
    if (resource.kind !== 'media' || resource.media.fileField !== name) throw unknownResource()
    const file = await files.find(asked.viewer, resource, id)
    const links = linksOf(asked, resource, id, name)
    return { text: renderDocument({ data: fileIdentifier(file), links }), typeNos: null }
  }

  /** The identifiers of a relationship, and with `include` what they name. */
  async function renderLinkage(
    asked: Asked,
    resource: EntryResource,
    id: string,
    name: string,
  ): Promise<string> {
    const relation = resource.names.relation.get(name)
    if (!relation && name !== 'uid' && name !== 'node_type') {
      throw unknownResource(`There is no relationship ${name}`)
    }
    const { fields } = parseFieldsOnly(asked, resource)
    const wanted = linkageInclude(asked, resource, name)
    const below = wanted?.get(name)
    const rules = { catalogue: asked.catalogue, fields: new Map() }
    const loaded = below
      ? includesFor(rules, resource, new Map([[name, below]]), false)
      : relation
        ? [{ ...linkage(relation), named: true, at: ['include'] }]
        : []
    const { entry } = await finder.get(asked, resource, id, fixed(loaded))
    const view = viewOf(asked, { fields, include: wanted }, await directory.ofEntries([entry]))
    const included = createIncluded(view)
    if (wanted) included.ofEntry(entry, wanted)
    const data = relation
      ? linkageOf(asked.catalogue, relation, entry.included.get(relation.attribute.name))
      : systemLinkage(entry, view, name)
    const links = linksOf(asked, resource, id, name)
    return renderDocument({ data: data ?? '[]', included: wanted && included.texts, links })
  }
}

/** The entries of a relationship as a query may narrow them. */
function toRelated(asked: Reading, target: EntryResource, field: string) {
  const showing = parseShowing(asked, target)
  const page = pageIn(ofBase(asked.parameters, 'page'), SPARSE_PAGES)
  const conditions = parseConditions(ofBase(asked.parameters, 'filter'))
  const include: Include = {
    field,
    ...selectionOf(asked, target, conditions),
    nulls: 'last',
    ...pieceOf(page),
    include: includesOf(asked, target, showing),
    depth: 'entries',
    named: true,
    at: ['include'],
  }
  return { showing, page, include }
}

function systemLinkage(entry: Entry, view: View, name: string): string {
  return name === 'uid' ? userIdentifier(entry, view) : typeIdentifier(entry)
}

/** Spec: paths start at the resource, and only its own relationship can be followed here. */
function linkageInclude(asked: Asked, resource: EntryResource, name: string): Wanted | undefined {
  const wanted = parseInclude(asked.catalogue, resource, onlyValue(asked.parameters, 'include'))
  if (wanted && [...wanted.keys()].some((each) => each !== name)) {
    throw badParameter('include', `Only ${name} can be included here`, 'unknown_relationship')
  }
  return wanted
}

function linksOf(asked: Asked, { path }: Resource, id: string, name: string) {
  return { self: selfOf(asked), related: `${asked.base}${path}/${id}/${name}` }
}

function parseFieldsOnly({ parameters, catalogue }: Asked, resource: Resource): Showing {
  const own = parameters.filter(({ base }) => base !== 'include')
  return parseShowing({ parameters: own, catalogue }, resource)
}

function mediaInclude({ catalogue, parameters }: Asked): Wanted | undefined {
  const media = catalogue.find('media--image')
  return media && parseInclude(catalogue, media, onlyValue(parameters, 'include'))
}

function targetOf({ catalogue }: Asked, { attribute }: Relation): EntryResource | undefined {
  if (attribute.type !== 'relation') return undefined
  const type = catalogue.model.findType(attribute.target)
  if (!type) throw unknownResource()
  return catalogue.ofType(type)
}

function wholeOf(relation: Relation): Include {
  return { ...linkage(relation), depth: 'entries', include: [] }
}

function entriesOf(included: Included | undefined): readonly Entry[] {
  if (included?.kind === 'entries') return included.entries
  return included?.kind === 'entry' && included.entry ? [included.entry] : []
}

function filesOf(included: Included | undefined): readonly MediaFile[] {
  if (included?.kind === 'files') return included.files
  return included?.kind === 'file' && included.file ? [included.file] : []
}

function single(asked: Asked, { include }: Showing, data: string): string {
  return renderDocument({ data, included: include && [], links: { self: selfOf(asked) } })
}

/** An empty relationship to one. */
function nothing(asked: Asked, showing: Showing): string {
  return single(asked, showing, 'null')
}

export type Related = ReturnType<typeof createRelated>
