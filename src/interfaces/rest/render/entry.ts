import type { Entry, Included, MediaFile, Part } from '#content'
import { COMPONENT_MEMBER } from '#content-dialect'
import { type Attribute, isToMany } from '#content-model'
import { renderTime } from '#kernel'
import type { View } from '../query/parse.ts'

/** To-many relations show at most this many; the answer says when there are more. */
const MAX_ITEMS = 100

/**
 * One record (contract §2.1) as JSON text. Stored attributes are spliced in unparsed, because
 * reading and writing them again costs as much as the query.
 */
export function renderRecord(entry: Entry, view: View): string {
  if (view.fields !== null) return renderChosen(entry, view, view.fields)
  const shown = { ...view, fields: null }
  const attributes = splice(entry.json) + renderIncluded(entry, shown)
  return `{${renderIds(entry, view)}${attributes}${renderSystem(entry, view)}}`
}

function renderIds({ id, documentId }: Entry, { version }: View): string {
  if (version === 1) return `"id":${id},"document_id":"${documentId}"`
  return `"id":"${documentId}","entry_id":${id},"document_id":"${documentId}"`
}

/** The members of a JSON object, ready to follow others. */
function splice(json: string): string {
  return json.length > 2 ? `,${json.slice(1, -1)}` : ''
}

function renderSystem(entry: Entry, view: View): string {
  const { type, path, parent, sortOrder, isRoot, externalId } = entry
  const status = type.draftAndPublish ? `,"status":"${statusOf(entry, view)}"` : ''
  const locale = type.localized ? `,"locale":${JSON.stringify(entry.locale)}` : ''
  const tree = `,"tree_parent_id":${JSON.stringify(parent)},"sort_order":${sortOrder}`
  const root = isRoot ? ',"is_root":true' : ''
  const place = `,"path":${JSON.stringify(path)}${tree}${root}`
  return `${status}${locale}${place},"external_id":${JSON.stringify(externalId)}${renderTimes(entry)}${renderSchedule(entry, view)}`
}

function renderTimes({ type, createdAtMs, updatedAtMs, publishedAtMs }: Entry): string {
  const times = `,"created_at":${time(createdAtMs)},"updated_at":${time(updatedAtMs)}`
  return type.draftAndPublish ? `${times},"published_at":${time(publishedAtMs)}` : times
}

/** Only what is set, and only beside working copies: readers do not hear of what is planned. */
function renderSchedule(entry: Entry, { state }: View): string {
  if (state === 'live' || !entry.schedule) return ''
  const { type, schedule } = entry
  const { publishAtMs, unpublishAtMs, fault } = schedule
  const members = {
    publish_at: publishAtMs === null ? null : renderTime(publishAtMs),
    unpublish_at: unpublishAtMs === null ? null : renderTime(unpublishAtMs),
    schedule_error: fault,
  }
  return Object.entries(members)
    .filter(([name, value]) => value !== null && !type.attribute.has(name))
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('')
}

function time(ms: number | null): string {
  return ms === null ? 'null' : `"${renderTime(ms)}"`
}

/** A live copy is published, whatever its author is preparing: readers do not hear of drafts. */
function statusOf(entry: Entry, { state }: View): string {
  return state === 'live' ? 'published' : entry.status
}

/** Relations, media and components in declared order, as far as they were loaded. */
function renderIncluded({ type, included }: Pick<Entry, 'type' | 'included'>, view: View): string {
  return renderMembers(type.attributes, included, view)
}

function renderMembers(
  attributes: readonly Attribute[],
  included: ReadonlyMap<string, Included>,
  view: View,
): string {
  if (included.size === 0) return ''
  let text = ''
  for (const attribute of attributes) {
    const found = included.get(attribute.name)
    if (found) text += renderMember(attribute, found, view)
  }
  return text
}

function renderMember(attribute: Attribute, found: Included, view: View): string {
  const { name } = attribute
  switch (found.kind) {
    case 'ids':
      if (isToMany(attribute)) return renderReferences(name, found.ids, view)
      return `,"${name}_id":${renderId(found.ids[0], view)}`
    case 'entry': {
      const { entry } = found
      const record = entry ? renderRecord(entry, view) : 'null'
      return `,"${name}_id":${renderId(entry, view)},"${name}":${record}`
    }
    case 'entries': {
      const records = found.entries.map((entry) => renderRecord(entry, view))
      return renderMany(name, records, found.total)
    }
    case 'file': {
      const { file } = found
      const id = renderId(file && { id: file.id, documentId: file.uuid }, view)
      return `,"${name}_id":${id},"${name}":${file ? renderFile(file, view) : 'null'}`
    }
    case 'files':
      return renderMany(
        name,
        found.files.map((file) => renderFile(file, view)),
        found.total,
      )
    case 'part':
      return `,"${name}":${found.part ? renderPart(found.part, view) : 'null'}`
    case 'parts':
      return `,"${name}":[${found.parts.map((part) => renderPart(part, view)).join(',')}]`
    case 'zone':
      return `,"${name}":[${found.parts.map((part) => renderZonePart(part, view)).join(',')}]`
  }
}

/** Lists of which only the ids are known: those of revisions. */
function renderReferences(
  name: string,
  ids: readonly { readonly id: number; readonly documentId: string }[],
  { version }: View,
): string {
  const items = ids.map(({ id, documentId }) =>
    version === 1
      ? `{"id":${id},"document_id":"${documentId}"}`
      : `{"id":"${documentId}","entry_id":${id},"document_id":"${documentId}"}`,
  )
  return `,"${name}":[${items.join(',')}]`
}

function renderId(
  found: { readonly id: number; readonly documentId: string } | null | undefined,
  { version }: View,
): string {
  if (!found) return 'null'
  return version === 1 ? String(found.id) : `"${found.documentId}"`
}

function renderMany(name: string, items: readonly string[], total: number): string {
  const list = `,"${name}":[${items.slice(0, MAX_ITEMS).join(',')}]`
  return total > MAX_ITEMS ? `${list},"${name}_truncated":true` : list
}

function renderPart(part: Part, view: View): string {
  return `{${partMembers(part, view)}}`
}

/** Which component it is, as it is written. */
function renderZonePart(part: Part, view: View): string {
  return `{"${COMPONENT_MEMBER}":${JSON.stringify(part.component.uid)},${partMembers(part, view)}}`
}

function partMembers({ id, component, json, included }: Part, view: View): string {
  return `"id":${id}${splice(json)}${renderMembers(component.attributes, included, view)}`
}

function renderFile(file: MediaFile, { version }: View): string {
  const { id, uuid, url, caption, mime, width, height } = file
  return JSON.stringify({
    ...(version === 1 ? { id } : { id: uuid, entry_id: id }),
    ...{ url, alternative_text: file.alternativeText, caption, mime, width, height },
    size: Math.round(file.sizeBytes / 10) / 100,
  })
}

/** Only some members were asked for: slower, because the stored text has to be read. */
function renderChosen(entry: Entry, view: View, fields: ReadonlySet<string>): string {
  const { type, included } = entry
  const whole = { ...view, fields: null }
  const scalars = Object.entries(entry.values()).filter(([name]) => fields.has(name))
  const chosen = scalars.map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
  const rest = renderMembers(type.attributes, included, whole)
  const system = chooseMembers(`{${renderIds(entry, whole)}${renderSystem(entry, whole)}}`, fields)
  const [id = '', ...others] = system
  return `{${id}${chosen.join('')}${rest}${others.map((member) => `,${member}`).join('')}}`
}

function chooseMembers(json: string, fields: ReadonlySet<string>): string[] {
  const members: Record<string, unknown> = JSON.parse(json)
  return Object.entries(members)
    .filter(([name]) => fields.has(name))
    .map(([name, value]) => `"${name}":${JSON.stringify(value)}`)
}
