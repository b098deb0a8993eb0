import { isShown, readHidden, scalarsOf } from '../../document.ts'
import type { Entry, EntryStatus, Included, Part } from '../../entry.ts'
import type { JsonObject } from '../../json.ts'
import type { Component, ContentType } from '../../model.ts'
import type { EntryRow } from './entry-row.ts'

/** `included` is filled later, before anybody sees the entry. */
export function toEntry(
  type: ContentType,
  row: EntryRow,
  json: string,
  included: ReadonlyMap<string, Included>,
): Entry {
  const values = parsedOnce(json)
  return {
    type,
    copyNo: row.copy_no,
    id: row.id,
    documentId: row.document_id,
    locale: type.localized ? row.locale : null,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    publishedAtMs: type.draftAndPublish ? row.published_at : null,
    status: toStatus(row),
    parent: row.parent,
    sortOrder: row.sort_order,
    isRoot: row.is_root === 1,
    path: row.path,
    version: row.version,
    revisionId: row.revision_id,
    externalId: row.external_id,
    createdBy: row.created_by,
    json,
    values,
    get formats() {
      return formatsOf(type, row.hidden)
    },
    included,
  }
}

function toStatus({ has_live, changed }: EntryRow): EntryStatus {
  if (has_live === 0) return 'draft'
  return changed === 1 ? 'changed' : 'published'
}

export function toPart(
  component: Component,
  id: number,
  json: string,
  included: ReadonlyMap<string, Included>,
): Part {
  return { component, id, json, values: parsedOnce(json), included }
}

function parsedOnce(json: string): () => JsonObject {
  let parsed: JsonObject | undefined
  return () => {
    parsed ??= parseObject(json)
    return parsed
  }
}

function parseObject(json: string): JsonObject {
  return JSON.parse(json)
}

function formatsOf(type: ContentType, hidden: string): Readonly<Record<string, string>> {
  const { formats } = readHidden(hidden)
  const shown = scalarsOf(type).filter(isShown)
  return Object.fromEntries(
    shown.flatMap(({ name, no }) => {
      const format = formats[no]
      return format === undefined ? [] : [[name, format]]
    }),
  )
}
