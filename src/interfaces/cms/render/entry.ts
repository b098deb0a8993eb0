/** From entries to the text of the answer. Stored JSON is spliced in as it is where possible. */
import type { Entry, EntryPage, Included, JsonObject, MediaFile, Part } from '#content'
import { COMPONENT_MEMBER, jsonList } from '#content-dialect'
import { toKilobytes } from '#content-media'
import { renderTime } from '#kernel'
import { renderKeysetPage } from '#paging'
import {
  FILE_MEMBERS,
  LOCALIZATIONS,
  MAX_RELATED,
  type PartSelection,
  PERSON_MEMBERS,
  type Selection,
} from '../query/level.ts'
import type { Paging } from '../query/paging.ts'
import { membersOfPerson, NOBODY, type People, type Person } from './people.ts'

/** `flat`: without the `attributes` and `data` inside (contract §3). */
export type Form = 'nested' | 'flat'

type Page = Omit<EntryPage, 'positionOf'>

/** With what one answer is rendered. */
interface View {
  readonly form: Form
  readonly people: People
}

const WHOLE: Selection = { fields: null, parts: new Map() }

export function renderOne(entry: Entry, selection: Selection, form: Form, people = NOBODY): string {
  return `{"data":${renderEntry(entry, selection, { form, people })},"meta":{}}`
}

/** For a single in all its languages. */
export function renderAll(
  entries: readonly Entry[],
  selection: Selection,
  form: Form,
  people = NOBODY,
): string {
  const view = { form, people }
  return `{"data":${jsonList(entries, (entry) => renderEntry(entry, selection, view))},"meta":{}}`
}

export function renderList(
  page: Page,
  selection: Selection,
  paging: Paging,
  form: Form,
  people = NOBODY,
): string {
  const view = { form, people }
  const data = jsonList(page.entries, (entry) => renderEntry(entry, selection, view))
  const meta = JSON.stringify({ pagination: paginationOf(page, paging) })
  return `{"data":${data},"meta":${meta}}`
}

/** The answer to a new language variant, which has no `data` around it (contract §6). */
export function renderLocalization(entry: Entry, form: Form): string {
  const others = entry.included.get(LOCALIZATIONS)
  const variants = others?.kind === 'entries' ? others.entries : []
  const view = { form, people: NOBODY }
  const list = jsonList(variants, (variant) => renderBare(variant, view))
  return renderBare(entry, view, `"localizations":${list}`)
}

/** What is shown of files beside their ids. */
export interface FilesShown {
  /** Null: all of them. */
  readonly fields: Selection['fields']
  /** Entries that use a file, by its uuid; absent where they were not asked for. */
  readonly related?: ReadonlyMap<string, readonly Entry[]> | undefined
}

const WHOLE_FILE: FilesShown = { fields: null }

/** A file as the upload routes show it. */
export function renderFile(file: MediaFile, form: Form, shown = WHOLE_FILE): string {
  const { fields, related } = shown
  const members = fileMembers(file, fields)
  const own = JSON.stringify({ ...idsOf(file.id, file.uuid, { form }), ...members })
  if (!related) return own
  const list = jsonList(related.get(file.uuid) ?? [], (entry) => renderUser(entry, form))
  return `${own.slice(0, -1)},"related":${list}}`
}

export function renderFiles(files: readonly MediaFile[], form: Form, shown = WHOLE_FILE): string {
  return jsonList(files, (file) => renderFile(file, form, shown))
}

/** Of any type, so it says of which. */
function renderUser(entry: Entry, form: Form): string {
  return `{"__type":${JSON.stringify(entry.type.uid)},${renderBare(entry, { form, people: NOBODY }).slice(1)}`
}

/** Flat in either form, because clients expect it so. */
function renderBare(entry: Entry, view: View, more = ''): string {
  const ids = JSON.stringify(idsOf(entry.id, entry.documentId, view)).slice(1, -1)
  return `{${join(join(ids, attributesOf(entry, WHOLE, view)), more)}}`
}

function renderEntry(entry: Entry, selection: Selection, view: View): string {
  const attributes = attributesOf(entry, selection, view)
  if (view.form === 'nested') return `{"id":${entry.id},"attributes":{${attributes}}}`
  return `{${join(`"id":${entry.id},"documentId":"${entry.documentId}"`, attributes)}}`
}

/** The members of an object as text, without its braces. */
function attributesOf(entry: Entry, selection: Selection, view: View): string {
  const { fields } = selection
  const scalars = fields ? membersOf(pick(entry.values(), fields)) : entry.json.slice(1, -1)
  const own = join(scalars, fields ? someSystemMembers(entry, fields) : systemMembers(entry))
  return selection.parts.size === 0 ? own : join(own, partsOf(entry, selection, view))
}

/** Most entries were never changed: then one text serves for all times. */
function systemMembers({ type, locale, createdAtMs, updatedAtMs, publishedAtMs }: Entry): string {
  const created = timeText(createdAtMs)
  const updated = updatedAtMs === createdAtMs ? created : timeText(updatedAtMs)
  let text = `"createdAt":${created},"updatedAt":${updated}`
  if (type.draftAndPublish) {
    text += `,"publishedAt":${publishedAtMs === updatedAtMs ? updated : timeOrNull(publishedAtMs)}`
  }
  return type.localized ? `${text},"locale":${JSON.stringify(locale)}` : text
}

function someSystemMembers(entry: Entry, fields: ReadonlySet<string>): string {
  const { type, locale, createdAtMs, updatedAtMs, publishedAtMs } = entry
  let text = ''
  if (fields.has('createdAt')) text = join(text, `"createdAt":${timeText(createdAtMs)}`)
  if (fields.has('updatedAt')) text = join(text, `"updatedAt":${timeText(updatedAtMs)}`)
  if (type.draftAndPublish && fields.has('publishedAt')) {
    text = join(text, `"publishedAt":${timeOrNull(publishedAtMs)}`)
  }
  const isShown = type.localized && fields.has('locale')
  return isShown ? join(text, `"locale":${JSON.stringify(locale)}`) : text
}

/** What was left out for this caller is absent; what has no value is null or an empty list. */
function partsOf(owner: Entry | Part, selection: Selection, view: View): string {
  let text = ''
  for (const [name, part] of selection.parts) {
    if (part.author && 'type' in owner) {
      const person = renderPerson(view.people.of(owner, part.author), part, view)
      text = join(text, `"${name}":${wrap(person, view)}`)
      continue
    }
    const found = owner.included.get(name)
    if (found) text = join(text, `"${name}":${renderIncluded(found, part, view)}`)
  }
  return text
}

function renderIncluded(found: Included, selection: PartSelection, view: View): string {
  if (selection.isCounted) return renderCount(countOf(found), view)
  switch (found.kind) {
    case 'entry':
      return wrap(found.entry ? renderEntry(found.entry, selection, view) : 'null', view)
    case 'entries': {
      const list = jsonList(found.entries, (entry) => renderEntry(entry, selection, view))
      return wrap(list, view, restOf(found.total, selection))
    }
    case 'file':
      return wrap(found.file ? renderRelatedFile(found.file, selection, view) : 'null', view)
    case 'files': {
      const list = jsonList(found.files, (file) => renderRelatedFile(file, selection, view))
      return wrap(list, view, restOf(found.total, selection))
    }
    case 'part':
      return found.part ? renderPart(found.part, selection, view) : 'null'
    case 'parts':
      return jsonList(found.parts, (part) => renderPart(part, selection, view))
    case 'zone':
      return jsonList(found.parts, (part) => renderZonePart(part, selection, view))
    case 'ids':
      throw new Error('the dialect never asks for references alone')
  }
}

/** As the dialect's generation has it: a thing whose only attribute is the count. */
function renderCount(count: number, view: View): string {
  return view.form === 'flat' ? `{"count":${count}}` : `{"data":{"attributes":{"count":${count}}}}`
}

function countOf(found: Included): number {
  switch (found.kind) {
    case 'part':
      return found.part ? 1 : 0
    case 'parts':
    case 'zone':
      return found.parts.length
    case 'ids':
    case 'entries':
    case 'files':
      return found.total
    case 'entry':
      return found.entry ? 1 : 0
    case 'file':
      return found.file ? 1 : 0
  }
}

function renderPerson(person: Person | undefined, { fields }: Selection, view: View): string {
  if (!person) return 'null'
  const attributes = pick(membersOfPerson(person), fields ?? new Set(PERSON_MEMBERS))
  if (view.form === 'nested') return JSON.stringify({ id: person.id, attributes })
  return JSON.stringify({ ...idsOf(person.id, person.uuid, view), ...attributes })
}

/** Which component it is stands first; what of it is shown may differ from kind to kind. */
function renderZonePart(part: Part, { on }: PartSelection, view: View): string {
  const { uid } = part.component
  const own = partMembers(part, on?.get(uid) ?? WHOLE, view)
  return `{"${COMPONENT_MEMBER}":${JSON.stringify(uid)},${own}}`
}

function renderPart(part: Part, selection: Selection, view: View): string {
  return `{${partMembers(part, selection, view)}}`
}

function partMembers(part: Part, selection: Selection, view: View): string {
  const { fields } = selection
  const scalars = fields ? membersOf(pick(part.values(), fields)) : part.json.slice(1, -1)
  const own = join(`"id":${part.id}`, scalars)
  return join(own, partsOf(part, selection, view))
}

function renderRelatedFile(file: MediaFile, { fields }: Selection, view: View): string {
  const attributes = fileMembers(file, fields)
  if (view.form === 'nested') return JSON.stringify({ id: file.id, attributes })
  return JSON.stringify({ ...idsOf(file.id, file.uuid, view), ...attributes })
}

function fileMembers(file: MediaFile, fields: Selection['fields']): Record<string, unknown> {
  const members: Record<string, unknown> = {
    ...file,
    size: toKilobytes(file.sizeBytes),
    createdAt: renderTime(file.createdAtMs),
    updatedAt: renderTime(file.updatedAtMs),
  }
  const shown = FILE_MEMBERS.filter((name) => !fields || fields.has(name))
  return Object.fromEntries(shown.map((name) => [name, members[name]]))
}

/** Nothing is lost without a word: a list cut at its limit says how long it is. */
function restOf(total: number, { start, limit }: PartSelection): string {
  if (total <= MAX_RELATED) return ''
  return `,"meta":${JSON.stringify({ pagination: { start, limit, total } })}`
}

function wrap(value: string, view: View, meta = ''): string {
  return view.form === 'flat' ? value : `{"data":${value}${meta}}`
}

function paginationOf(page: Page, paging: Paging) {
  const { total, hasMore, hasPrevious, entries } = page
  if (paging.kind === 'keyset') {
    const { keyset } = paging
    const goesOn = keyset.beforeId === null ? hasMore : hasPrevious
    return renderKeysetPage(keyset, { ids: entries.map(({ id }) => id), hasMore: goesOn }).meta
  }
  if (paging.kind === 'offset') {
    const { start, limit } = paging
    return { start, limit, ...(total === null ? {} : { total }) }
  }
  const size = { page: paging.page, pageSize: paging.size }
  return total === null ? size : { ...size, pageCount: Math.ceil(total / paging.size), total }
}

function idsOf(id: number, documentId: string, view: Pick<View, 'form'>) {
  return view.form === 'flat' ? { id, documentId } : { id }
}

function pick(values: JsonObject, fields: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.has(name)))
}

function membersOf(values: JsonObject): string {
  return JSON.stringify(values).slice(1, -1)
}

function timeText(ms: number): string {
  return `"${renderTime(ms)}"`
}

function timeOrNull(ms: number | null): string {
  return ms === null ? 'null' : timeText(ms)
}

function join(one: string, other: string): string {
  if (one === '' || other === '') return one + other
  return `${one},${other}`
}
