/** From entries to the text of the answer. Stored JSON is spliced in as it is where possible. */
import type { Entry, EntryPage, Included, JsonObject, MediaFile, Part } from '#content'
import { jsonList } from '#content-dialect'
import { toKilobytes } from '#content-media'
import { renderTime } from '#kernel'
import { renderKeysetPage } from '#paging'
import {
  FILE_MEMBERS,
  LOCALIZATIONS,
  MAX_RELATED,
  type PartSelection,
  type Selection,
} from '../query/level.ts'
import type { Paging } from '../query/paging.ts'

/** `flat`: without the `attributes` and `data` inside (contract §3). */
export type Form = 'nested' | 'flat'

type Page = Omit<EntryPage, 'positionOf'>

const WHOLE: Selection = { fields: null, parts: new Map() }

export function renderOne(entry: Entry, selection: Selection, form: Form): string {
  return `{"data":${renderEntry(entry, selection, form)},"meta":{}}`
}

/** For a single in all its languages. */
export function renderAll(entries: readonly Entry[], selection: Selection, form: Form): string {
  return `{"data":${jsonList(entries, (entry) => renderEntry(entry, selection, form))},"meta":{}}`
}

export function renderList(page: Page, selection: Selection, paging: Paging, form: Form): string {
  const data = jsonList(page.entries, (entry) => renderEntry(entry, selection, form))
  const meta = JSON.stringify({ pagination: paginationOf(page, paging) })
  return `{"data":${data},"meta":${meta}}`
}

/** The answer to a new language variant, which has no `data` around it (contract §6). */
export function renderLocalization(entry: Entry, form: Form): string {
  const others = entry.included.get(LOCALIZATIONS)
  const variants = others?.kind === 'entries' ? others.entries : []
  const list = jsonList(variants, (variant) => renderBare(variant, form))
  return renderBare(entry, form, `"localizations":${list}`)
}

/** A file as the upload routes show it. */
export function renderFile(file: MediaFile, form: Form): string {
  return JSON.stringify({ ...idsOf(file.id, file.uuid, form), ...fileMembers(file, null) })
}

export function renderFiles(files: readonly MediaFile[], form: Form): string {
  return jsonList(files, (file) => renderFile(file, form))
}

/** Flat in either form, because clients expect it so. */
function renderBare(entry: Entry, form: Form, more = ''): string {
  const ids = JSON.stringify(idsOf(entry.id, entry.documentId, form)).slice(1, -1)
  return `{${join(join(ids, attributesOf(entry, WHOLE, form)), more)}}`
}

function renderEntry(entry: Entry, selection: Selection, form: Form): string {
  const attributes = attributesOf(entry, selection, form)
  if (form === 'nested') return `{"id":${entry.id},"attributes":{${attributes}}}`
  return `{${join(`"id":${entry.id},"documentId":"${entry.documentId}"`, attributes)}}`
}

/** The members of an object as text, without its braces. */
function attributesOf(entry: Entry, selection: Selection, form: Form): string {
  const { fields } = selection
  const scalars = fields ? membersOf(pick(entry.values(), fields)) : entry.json.slice(1, -1)
  const own = join(scalars, fields ? someSystemMembers(entry, fields) : systemMembers(entry))
  return selection.parts.size === 0 ? own : join(own, partsOf(entry.included, selection, form))
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
function partsOf(included: Entry['included'], selection: Selection, form: Form): string {
  let text = ''
  for (const [name, part] of selection.parts) {
    const found = included.get(name)
    if (found) text = join(text, `"${name}":${renderIncluded(found, part, form)}`)
  }
  return text
}

function renderIncluded(found: Included, selection: PartSelection, form: Form): string {
  switch (found.kind) {
    case 'entry':
      return wrap(found.entry ? renderEntry(found.entry, selection, form) : 'null', form)
    case 'entries': {
      const list = jsonList(found.entries, (entry) => renderEntry(entry, selection, form))
      return wrap(list, form, restOf(found.total, selection))
    }
    case 'file':
      return wrap(found.file ? renderRelatedFile(found.file, selection, form) : 'null', form)
    case 'files': {
      const list = jsonList(found.files, (file) => renderRelatedFile(file, selection, form))
      return wrap(list, form, restOf(found.total, selection))
    }
    case 'part':
      return found.part ? renderPart(found.part, selection, form) : 'null'
    case 'parts':
      return jsonList(found.parts, (part) => renderPart(part, selection, form))
    case 'ids':
      throw new Error('the dialect never asks for references alone')
  }
}

function renderPart(part: Part, selection: Selection, form: Form): string {
  const { fields } = selection
  const scalars = fields ? membersOf(pick(part.values(), fields)) : part.json.slice(1, -1)
  const own = join(`"id":${part.id}`, scalars)
  return `{${join(own, partsOf(part.included, selection, form))}}`
}

function renderRelatedFile(file: MediaFile, { fields }: Selection, form: Form): string {
  const attributes = fileMembers(file, fields)
  if (form === 'nested') return JSON.stringify({ id: file.id, attributes })
  return JSON.stringify({ ...idsOf(file.id, file.uuid, form), ...attributes })
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

function wrap(value: string, form: Form, meta = ''): string {
  return form === 'flat' ? value : `{"data":${value}${meta}}`
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

function idsOf(id: number, documentId: string, form: Form) {
  return form === 'flat' ? { id, documentId } : { id }
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
