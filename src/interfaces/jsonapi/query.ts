/** Turns a URL of this dialect into a question to the store (contract §6). */
import type { ContentQuery, CopyState, FilesQuery, Filter, LocaleChoice, SortKey } from '#content'
import type { EntryResource, Resource } from './catalogue.ts'
import { badParameter } from './errors.ts'
import { localeChoice } from './language.ts'
import { type Node, parseConditions } from './query/conditions.ts'
import { type Fieldsets, parseFields } from './query/fields.ts'
import { type ListContext, toFilter } from './query/filter.ts'
import { includesFor, NOTHING, parseInclude, type Wanted } from './query/include.ts'
import { PAGES, type Page, type PageRules, parsePage, SPARSE_PAGES } from './query/page.ts'
import { ofBase, onlyValue } from './query/parameters.ts'
import { parseSort, readSort } from './query/sort.ts'
import { parseVersion, RESOURCE_VERSION } from './query/version.ts'
import type { Asked } from './request.ts'
import type { UserDirectory } from './users.ts'

/** How the answer is shown, whatever it shows. */
export interface Showing {
  readonly fields: Fieldsets
  /** Undefined when `include` was not given. */
  readonly include: Wanted | undefined
}

export function parseShowing(
  { catalogue, parameters }: Pick<Asked, 'catalogue' | 'parameters'>,
  resource: Resource,
): Showing {
  return {
    fields: parseFields(ofBase(parameters, 'fields')),
    include: parseInclude(catalogue, resource, onlyValue(parameters, 'include')),
  }
}

interface ParsedList {
  readonly showing: Showing
  readonly page: Page
}

export interface ParsedEntries extends ParsedList {
  readonly query: ContentQuery
}

type Users = Pick<UserDirectory, 'all'>

export async function parseEntries(
  asked: Asked,
  resource: EntryResource,
  users: Users,
): Promise<ParsedEntries> {
  const showing = parseShowing(asked, resource)
  const page = parsePage(ofBase(asked.parameters, 'page'), pageRules(showing, resource))
  const conditions = parseConditions(ofBase(asked.parameters, 'filter'))
  const query: ContentQuery = {
    type: resource.type,
    state: listState(asked),
    locale: listLocale(asked, conditions),
    ...(await selectionOf(asked, resource, conditions, users)),
    search: '',
    page: { kind: 'offset', start: page.offset, limit: page.limit, count: true },
    include: includesOf(asked, resource, showing),
    nulls: 'last',
  }
  return { showing, page, query }
}

export function includesOf({ catalogue }: Asked, resource: EntryResource, showing: Showing) {
  const { fields, include = NOTHING } = showing
  return includesFor({ catalogue, fields }, resource, include, true)
}

export function pageRules({ fields }: Showing, { name }: Resource): PageRules {
  return fields.has(name) ? SPARSE_PAGES : PAGES
}

/** Which of them are listed and in which order. */
export async function selectionOf(
  { catalogue, parameters }: Pick<Asked, 'catalogue' | 'parameters'>,
  from: ListContext['from'],
  conditions: Node | undefined,
  users: Users,
): Promise<{ readonly filter: Filter | null; readonly sort: readonly SortKey[] }> {
  const sorting = ofBase(parameters, 'sort')
  const isAboutUsers =
    (conditions && asksForUsers(conditions)) ||
    readSort(sorting).some(({ path }) => namesUser(path))
  const context = { catalogue, from, users: isAboutUsers ? await users.all() : [] }
  const filter = conditions ? toFilter(context, conditions) : null
  return { filter, sort: parseSort(context, sorting) }
}

function asksForUsers(node: Node): boolean {
  return node.kind === 'condition' ? namesUser(node.path) : node.of.some(asksForUsers)
}

function namesUser(path: string): boolean {
  return path.split('.').includes('uid')
}

/** Drafts are in lists only when they are asked for (contract §5). */
export function listState({ parameters }: Asked): CopyState {
  const version = parseVersion(parameters)
  if (version?.kind === 'revision') {
    throw badParameter(RESOURCE_VERSION, 'A list has no single revision')
  }
  return version?.kind === 'working' ? 'working' : 'live'
}

/** A list of one language shows the translations themselves, not what stands in for them. */
function listLocale({ catalogue, locale }: Asked, conditions: Node | undefined): LocaleChoice {
  const { model } = catalogue
  const wanted = conditions?.kind === 'and' ? conditions.of : []
  for (const condition of wanted) {
    if (condition.kind !== 'condition' || condition.operator !== '=') continue
    const known = condition.path === 'langcode' && model.findLocale(condition.values[0] ?? '')
    if (known) return { kind: 'one', code: known.code, fallback: [] }
  }
  return localeChoice(model, locale)
}

export interface ParsedFiles extends ParsedList {
  readonly query: FilesQuery
}

/** The media library, or the files themselves. */
export async function parseFiles(
  asked: Asked,
  resource: Extract<Resource, { kind: 'media' | 'file' | 'user' | 'node_type' }>,
  users: Users,
): Promise<ParsedFiles> {
  const { parameters } = asked
  const showing = parseShowing(asked, resource)
  listState(asked)
  const page = parsePage(ofBase(parameters, 'page'), pageRules(showing, resource))
  const from = resource.kind === 'media' ? 'media' : 'file'
  const conditions = parseConditions(ofBase(parameters, 'filter'))
  const own = await selectionOf(asked, from, conditions, users)
  const filters = [...(own.filter ? [own.filter] : []), ...bundleFilter(resource)]
  const filter: Filter | null = filters.length === 0 ? null : { kind: 'and', of: filters }
  const query = { filter, search: '', sort: own.sort, start: page.offset, limit: page.limit }
  return { showing, page, query: { ...query, nulls: 'last' } }
}

function bundleFilter(resource: Resource): Filter[] {
  if (resource.kind !== 'media') return []
  const { mime } = resource.media
  if (mime !== '') return [startsWith(mime)]
  return OTHER_MIMES.map((other) => ({ kind: 'not', of: startsWith(other) }))
}

const OTHER_MIMES = ['image/', 'video/', 'audio/']

function startsWith(mime: string): Filter {
  const compare = { kind: 'compare', operator: 'startsWith', fold: true } as const
  return { ...compare, field: 'mime', values: [mime] }
}
