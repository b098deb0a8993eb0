import type { Included, MediaFile, Read } from '#content'
import { includeOf } from '#content-dialect'
import type { Include } from '#content-query'
import { badParameter, unknownResource } from '../errors.ts'
import { parseConditions } from '../query/conditions.ts'
import { includesFor, linkage, parseInclude, type Wanted } from '../query/include.ts'
import { ofBase, onlyValue, type Page, pageIn, SPARSE_PAGES } from '../query/parameters.ts'
import {
  includesOf,
  parseShowing,
  pieceOf,
  questionOf,
  type Reading,
  type Showing,
  selectionOf,
} from '../query/parse.ts'
import type { ReadDeps } from '../read.ts'
import {
  createIncluded,
  pageLinks,
  renderMany,
  renderNodeType,
  renderOne,
  renderUser,
  viewOf,
} from '../render/document.ts'
import {
  entriesOf,
  identifiersIn,
  linkageIn,
  linkedEntries,
  typeIdentifier,
  userIdentifier,
} from '../render/entry.ts'
import { fileIdentifier } from '../render/files.ts'
import { renderDocument } from '../render/view.ts'
import { type Asked, selfOf } from '../request.ts'
import type { EntryResource, Resource } from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'
import type { Named } from '../target.ts'
import { createFiles, shownFiles } from './files.ts'
import { createFinder, fixed } from './find.ts'

type OfEntry = Named<EntryResource>

/** What a relationship leads to, and the relationship itself (contract §4). */
export function createRelated(deps: ReadDeps) {
  const { content, directory } = deps
  const finder = createFinder(content)
  const files = createFiles(deps)
  return {
    related: reading(relatedOf, renderFile),
    relationship: reading(renderLinkage, (asked, file, named) =>
      renderDocument({ data: fileIdentifier(file), links: linksOf(asked, named) }),
    ),
    parseLinkageQuery,
    renderLinkage,
  }

  /** Entries have relationships of many kinds, an item of the media library that to its file. */
  function reading(
    ofEntry: (asked: Asked, named: OfEntry) => Promise<string>,
    ofFile: (asked: Asked, file: MediaFile, named: Named) => string,
  ) {
    return async (asked: Asked, { resource, id, name }: Named): Promise<Read> => {
      if (resource.kind === 'entry') {
        return { text: await ofEntry(asked, { resource, id, name }), typeNos: null }
      }
      if (resource.kind !== 'media' || resource.media.fileField !== name) throw unknownResource()
      const file = await files.get(asked, resource, id)
      return { text: ofFile(asked, file, { resource, id, name }), typeNos: null }
    }
  }

  function renderFile(asked: Asked, file: MediaFile): string {
    const target = asked.catalogue.find('file--file')
    if (target?.kind !== 'file') throw unknownResource()
    return files.render(asked, target, [file], false)
  }

  async function relatedOf(asked: Asked, named: OfEntry): Promise<string> {
    const { name, resource } = named
    if (name === 'uid' || name === 'node_type') return ofSystem(asked, named)
    const relation = resource.names.relation.get(name)
    if (!relation) throw unknownResource(`There is no relationship ${name}`)
    const target = asked.catalogue.behind(relation.attribute)
    if (!target) throw unknownResource()
    return target === 'media'
      ? relatedFiles(asked, named, relation)
      : relatedEntries(asked, named, relation, target)
  }

  async function relatedEntries(
    asked: Asked,
    { resource, id }: OfEntry,
    relation: Relation,
    target: EntryResource,
  ): Promise<string> {
    const field = relation.attribute.name
    const kind = `${field} ${target.type.no}`
    const question = await questionOf(asked, kind, directory, (own) =>
      toRelated(own, target, relation),
    )
    // What is wrong with the query is told before what is wrong with the entry.
    const { page, showing } = question.sent()
    const { entry } = await finder.get(asked, resource, id, {
      ...question,
      include: (slots) => [question.read(slots).include],
      sent: () => [question.sent().include],
    })
    const found = entry.included.get(field)
    const entries = entriesOf(found)
    const view = viewOf(asked, showing, await directory.ofEntries(entries))
    const [only] = entries
    if (relation.many) {
      return renderMany(asked, view, showing, entries, { page: page.of([]), total: totalOf(found) })
    }
    return only ? renderOne(asked, view, showing, only) : single(asked, showing, 'null')
  }

  async function relatedFiles(
    asked: Asked,
    { resource, id }: OfEntry,
    relation: Relation,
  ): Promise<string> {
    const { fields } = parseFieldsOnly(asked, resource)
    const showing = { fields, include: mediaInclude(asked) }
    const field = relation.attribute.name
    const question = await questionOf(asked, `${field} files`, directory, (own) =>
      toRelatedFiles(own, relation),
    )
    const page = question.sent().page.of([])
    const { entry } = await finder.get(asked, resource, id, {
      ...question,
      include: (slots) => [question.read(slots).include],
      sent: () => [question.sent().include],
    })
    const shown = entry.included.get(field)
    const found = filesOf(shown)
    const { data, included } = shownFiles(
      viewOf(asked, showing, new Map()),
      showing,
      'media',
      found,
    )
    const links = { self: selfOf(asked) }
    if (!relation.many) return renderDocument({ data: data || 'null', included, links })
    const count = totalOf(shown)
    const meta = { count }
    const pages = pageLinks(asked, page, count)
    return renderDocument({ data: `[${data}]`, included, meta, links: pages })
  }

  /** Who made an entry, and its type. */
  async function ofSystem(asked: Asked, { resource, id, name }: OfEntry): Promise<string> {
    const isAuthor = name === 'uid'
    const { entry } = await finder.get(asked, resource, id, fixed([]))
    const target = asked.catalogue.find(isAuthor ? 'user--user' : 'node_type--node_type')
    if (!target) throw unknownResource()
    const showing = parseShowing(asked, target)
    const view = viewOf(asked, showing, await directory.ofEntries([entry]))
    if (!isAuthor) return single(asked, showing, renderNodeType(entry.type, view))
    const user = entry.createdBy === null ? undefined : view.users.get(entry.createdBy)
    return single(asked, showing, user ? renderUser(user, view) : 'null')
  }

  /** The identifiers of a relationship, and with `include` what they name. */
  async function renderLinkage(asked: Asked, named: OfEntry): Promise<string> {
    const { resource, id, name } = named
    const relation = resource.names.relation.get(name)
    if (!relation && name !== 'uid' && name !== 'node_type') {
      throw unknownResource(`There is no relationship ${name}`)
    }
    const { fields, wanted, page } = parseLinkageQuery(asked, named)
    const below = wanted?.get(name)
    const loaded = relation ? linkageOf(asked, named, relation, below, page) : []
    const { entry } = await finder.get(asked, resource, id, fixed(loaded))
    const view = viewOf(asked, { fields, include: wanted }, await directory.ofEntries([entry]))
    const included = createIncluded(view)
    if (!relation) {
      if (wanted) included.ofEntry(entry, wanted)
      const data = name === 'uid' ? userIdentifier(entry, view) : typeIdentifier(entry)
      const links = linksOf(asked, named)
      return renderDocument({ data, included: wanted && included.texts, links })
    }
    const found = linkageIn(entry, relation)
    if (below) {
      for (const each of linkedEntries(entry, relation)) included.addEntry(each, below)
      for (const each of filesOf(found)) included.addFile(each, below)
    }
    const data = identifiersIn(asked.catalogue, relation, found)
    const pages = relation.many ? pageLinks(asked, page, totalOf(found)) : {}
    const links = { ...linksOf(asked, named), ...pages }
    return renderDocument({ data, included: wanted && included.texts, links })
  }
}

/** The entries of a relationship as a query may narrow them. */
function toRelated(asked: Reading, target: EntryResource, { attribute, many }: Relation) {
  const showing = parseShowing(asked, target)
  const page = pageIn(asked.parameters, SPARSE_PAGES)
  const conditions = parseConditions(ofBase(asked.parameters, 'filter'))
  const include = includeOf(attribute.name, {
    ...selectionOf(asked, target, conditions),
    ...(many && pieceOf(page)),
    nulls: 'last',
    include: includesOf(asked, target, showing),
    named: true,
    at: ['include'],
  })
  return { showing, page, include }
}

/** A page of the linkage, or of what it leads to where that is included. */
function linkageOf(
  { catalogue, viewer }: Asked,
  { resource, name }: OfEntry,
  { attribute, many }: Relation,
  below: Wanted | undefined,
  { offset, limit }: Page,
): readonly Include[] {
  const rules = { catalogue, viewer, fields: new Map() }
  const loaded = below
    ? includesFor(rules, resource, new Map([[name, below]]), false)
    : [{ ...linkage(rules, attribute), named: true, at: ['include'] }]
  return loaded.map((each) =>
    many && each.field === attribute.name ? { ...each, start: offset, limit } : each,
  )
}

/** The files of a media field likewise; what is included with them is read apart. */
function toRelatedFiles(asked: Reading, { attribute, many }: Relation) {
  const page = pageIn(asked.parameters, SPARSE_PAGES)
  const conditions = parseConditions(ofBase(asked.parameters, 'filter'))
  const selection = selectionOf(asked, 'media', conditions)
  const piece = many && pieceOf(page)
  return { page, include: includeOf(attribute.name, { ...selection, ...piece, nulls: 'last' }) }
}

/** What a query says of the identifiers of a relationship and of what is included with them. */
function parseLinkageQuery(asked: Asked, named: OfEntry) {
  const { fields } = parseFieldsOnly(asked, named.resource)
  const page = pageIn(asked.parameters, SPARSE_PAGES).of([])
  return { fields, wanted: linkageInclude(asked, named), page }
}

/** Spec: paths start at the resource, and only its own relationship can be followed here. */
function linkageInclude(asked: Asked, { resource, name }: OfEntry): Wanted | undefined {
  const wanted = parseInclude(asked, resource, onlyValue(asked.parameters, 'include'))
  if (wanted && [...wanted.keys()].some((each) => each !== name)) {
    throw badParameter('include', `Only ${name} can be included here`, 'unknown_relationship')
  }
  return wanted
}

function linksOf(asked: Asked, { resource, id, name }: Named) {
  return { self: selfOf(asked), related: `${asked.base}${resource.path}/${id}/${name}` }
}

function parseFieldsOnly({ parameters, catalogue, viewer }: Asked, resource: Resource): Showing {
  const own = parameters.filter(({ base }) => base !== 'include')
  return parseShowing({ parameters: own, catalogue, viewer }, resource)
}

function mediaInclude(asked: Asked): Wanted | undefined {
  const media = asked.catalogue.find('media--image')
  return media && parseInclude(asked, media, onlyValue(asked.parameters, 'include'))
}

function totalOf(included: Included | undefined): number {
  return included && 'total' in included ? included.total : 0
}

function filesOf(included: Included | undefined): readonly MediaFile[] {
  if (included?.kind === 'files') return included.files
  return included?.kind === 'file' && included.file ? [included.file] : []
}

/** One resource, or `null` for an empty relationship to one. */
function single(asked: Asked, { include }: Showing, data: string): string {
  return renderDocument({ data, included: include && [], links: { self: selfOf(asked) } })
}

export type Related = ReturnType<typeof createRelated>
