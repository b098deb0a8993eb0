/** Turns a URL of this dialect into a question to the store (contract §6). */
import { allOf, compare } from '#content-dialect'
import {
  type ContentQuery,
  type CopyState,
  type FilesQuery,
  type Filter,
  type LocaleChoice,
  type OffsetPage,
  type Operand,
  type Question,
  type Slot,
  type SortKey,
  toSlot,
} from '#content-query'
import type { KnownUser } from '../deps.ts'
import { badParameter } from '../errors.ts'
import type { UserDirectory } from '../read/users.ts'
import { type Asked, localeChoice } from '../request.ts'
import { type EntryResource, OTHER_MIMES, type Resource } from '../target/catalogue.ts'
import { type Node, parseConditions } from './conditions.ts'
import { type ListContext, toFilter } from './filter.ts'
import { includesFor, NOTHING, parseInclude, type Wanted } from './include.ts'
import {
  type Fieldsets,
  ofBase,
  onlyValue,
  PAGES,
  type Page,
  type PageRules,
  type Parameter,
  pageIn,
  parseFields,
  parseVersion,
  RESOURCE_VERSION,
  SPARSE_PAGES,
  splitParameters,
} from './parameters.ts'
import { parseSort, readSort } from './sort.ts'

/** What a query is read with: its parameters as they were sent, or with slots for their values. */
export interface Reading extends Pick<Asked, 'catalogue' | 'locale' | 'viewer'> {
  readonly parameters: readonly Parameter[]
  /** Everybody, when authors may be asked for; nobody otherwise. */
  readonly users: readonly KnownUser[]
}

interface RequestQuestion<Read> extends Question<Read> {
  /** What this one request says. */
  sent(): Read
}

const NAMES_USER = /(?:^|[\s.,-])uid(?:$|[\s.,])/

/** The query of a request taken apart; `kind` says of what resource it is read. */
export async function questionOf<Read>(
  { catalogue, locale, viewer, parameters }: Asked,
  kind: string,
  directory: Pick<UserDirectory, 'all' | 'revision'>,
  read: (reading: Reading) => Read,
): Promise<RequestQuestion<Read>> {
  const split = splitParameters(parameters)
  // Where a path may name the author, who those are must be known.
  const isAboutUsers = parameters.some(({ keys, value }) =>
    [...keys, value].some((text) => NAMES_USER.test(text)),
  )
  const seen = isAboutUsers ? directory.revision() : ''
  const users = isAboutUsers ? await directory.all() : []
  const common = { catalogue, locale, viewer, users }
  return {
    model: catalogue.model,
    template: `${kind} ${locale} ${seen} ${split.template}`,
    values: split.values,
    read: (slots) => read({ ...common, parameters: split.read(slots) }),
    sent: () => read({ ...common, parameters }),
  }
}

/** How the answer is shown, whatever it shows. */
export interface Showing {
  readonly fields: Fieldsets
  /** Undefined when `include` was not given. */
  readonly include: Wanted | undefined
}

export function parseShowing(
  asked: Pick<Reading, 'catalogue' | 'viewer' | 'parameters'>,
  resource: Resource,
): Showing {
  const { parameters } = asked
  return {
    fields: parseFields(parameters),
    include: parseInclude(asked, resource, onlyValue(parameters, 'include')),
  }
}

interface ParsedList {
  readonly showing: Showing
  readonly page: Slot<Page>
}

export interface ParsedEntries extends ParsedList {
  readonly query: ContentQuery
}

export function parseEntries(asked: Reading, resource: EntryResource): ParsedEntries {
  const showing = parseShowing(asked, resource)
  const page = pageIn(asked.parameters, pageRules(showing, resource))
  const conditions = parseConditions(ofBase(asked.parameters, 'filter'))
  const query: ContentQuery = {
    type: resource.type,
    state: listState(asked),
    locale: listLocale(asked, conditions),
    ...selectionOf(asked, resource, conditions),
    search: '',
    page: toOffset(page),
    include: includesOf(asked, resource, showing),
    nulls: 'last',
  }
  return { showing, page, query }
}

function toOffset(page: Slot<Page>): OffsetPage {
  return { kind: 'offset', ...pieceOf(page), count: true }
}

export function pieceOf(page: Slot<Page>) {
  return { start: page.map(({ offset }) => offset), limit: page.map(({ limit }) => limit) }
}

export function includesOf(
  { catalogue, viewer }: Pick<Reading, 'catalogue' | 'viewer'>,
  resource: EntryResource,
  { fields, include = NOTHING }: Showing,
) {
  return includesFor({ catalogue, viewer, fields }, resource, include, true)
}

export function pageRules({ fields }: Showing, { name }: Resource): PageRules {
  return fields.has(name) ? SPARSE_PAGES : PAGES
}

/** Which of them are listed and in which order. */
export function selectionOf(
  { catalogue, viewer, parameters, users }: Omit<Reading, 'locale'>,
  from: ListContext['from'],
  conditions: Node | undefined,
): { readonly filter: Filter | null; readonly sort: readonly SortKey[] } {
  const sorting = ofBase(parameters, 'sort')
  readSort(sorting)
  const context = { catalogue, viewer, from, users }
  const filter = conditions ? toFilter(context, conditions) : null
  return { filter, sort: parseSort(context, sorting) }
}

/** Drafts are in lists only when they are asked for (contract §5). */
export function listState({ parameters }: Pick<Reading, 'parameters'>): CopyState {
  const version = parseVersion(parameters)
  if (version?.kind === 'revision') {
    throw badParameter(RESOURCE_VERSION, 'A list has no single revision')
  }
  return version?.kind === 'working' ? 'working' : 'live'
}

const LANGUAGE = new Set(['langcode', 'path.langcode'])

/** A list of some languages shows the translations themselves, not what stands in for them. */
function listLocale({ catalogue, locale }: Reading, conditions: Node | undefined): LocaleChoice {
  const { model } = catalogue
  const choice = localeChoice(model, locale)
  const wanted = languagesIn(conditions)?.map((text) =>
    toSlot(text).look((own) => model.findLocale(own)?.code ?? null),
  )
  const [code, ...fallback] = [locale, ...choice.fallback].filter((own) => wanted?.includes(own))
  return code === undefined ? choice : { kind: 'one', code, fallback }
}

/** What must be the language of all that is listed; undefined when nothing is said of it. */
function languagesIn(node: Node | undefined): readonly Operand<string>[] | undefined {
  if (node?.kind === 'and') return node.of.map(languagesIn).find((own) => own !== undefined)
  if (node?.kind !== 'condition' || !LANGUAGE.has(node.path)) return undefined
  return node.operator === '=' || node.operator === 'IN' ? node.values : undefined
}

export interface ParsedFiles extends ParsedList {
  readonly query: FilesQuery
}

/** The media library, or the files themselves. */
export function parseFiles(
  asked: Reading,
  resource: Exclude<Resource, { kind: 'entry' }>,
): ParsedFiles {
  const { parameters } = asked
  const showing = parseShowing(asked, resource)
  listState(asked)
  const page = pageIn(parameters, pageRules(showing, resource))
  const from = resource.kind === 'media' ? 'media' : 'file'
  const own = selectionOf(asked, from, parseConditions(ofBase(parameters, 'filter')))
  const filter = allOf([own.filter, ...bundleFilter(resource)])
  const query = { filter, search: '', sort: own.sort, page: toOffset(page) }
  return { showing, page, query: { ...query, nulls: 'last' } }
}

function bundleFilter(resource: Resource): Filter[] {
  if (resource.kind !== 'media') return []
  const startsWith = (mime: string) => compare('mime', 'startsWith', mime, { fold: true })
  const { mime } = resource.media
  if (mime !== '') return [startsWith(mime)]
  return OTHER_MIMES.map((other) => ({ kind: 'not', of: startsWith(other) }))
}
