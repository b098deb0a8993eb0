import type { Entry, EntryStatus, Included, Part } from '../../entry.ts'
import type { JsonObject } from '../../json.ts'
import type { Component, ContentType } from '../../model.ts'
import type { EntryRow } from './entry-row.ts'

/** Values of a copy as its type shows them now. */
export interface CurrentValues {
  readonly json: string
  readonly hidden: string
}

/** `included` is filled later, before anybody sees the entry. */
export function toEntry(
  type: ContentType,
  row: EntryRow,
  current: CurrentValues,
  included: ReadonlyMap<string, Included>,
): Entry {
  const values = parsedOnce(current.json)
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
    json: current.json,
    values,
    get formats() {
      return formatsOf(current.hidden)
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

function formatsOf(hidden: string): Readonly<Record<string, string>> {
  const stored: { formats?: Readonly<Record<string, string>> } = JSON.parse(hidden)
  return stored.formats ?? {}
}
