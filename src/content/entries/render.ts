import { isShown, renderDocument, scalarsOf } from '../document.ts'
import type { Entry, EntryStatus } from '../entry.ts'
import type { JsonObject } from '../json.ts'
import type { ContentType } from '../model.ts'
import { toSchedule } from '../schedule/schedule.ts'
import type { Copy } from './store/copies.ts'
import type { Registered } from './store/registry.ts'

export function statusOf({
  has_live,
  changed,
}: Pick<Registered, 'has_live' | 'changed'>): EntryStatus {
  if (has_live === 0) return 'draft'
  return changed === 1 ? 'changed' : 'published'
}

/** A copy as dialects render it, without anything related. */
export function toEntry(type: ContentType, row: Registered, copy: Copy): Entry {
  let json: string | undefined
  let parsed: JsonObject | undefined
  return {
    type,
    copyNo: copy.copyNo,
    id: row.id,
    documentId: row.document_id,
    locale: type.localized ? row.locale : null,
    createdAtMs: row.created_at,
    updatedAtMs: copy.updatedAtMs,
    publishedAtMs: type.draftAndPublish ? row.published_at : null,
    status: statusOf(row),
    parent: row.parent,
    sortOrder: row.sort_order,
    isRoot: row.is_root === 1,
    path: row.path,
    version: row.version,
    revisionId: copy.revisionId,
    externalId: row.external_id,
    schedule: type.draftAndPublish ? toSchedule(row) : null,
    createdBy: row.created_by,
    updatedBy: row.updated_by,
    /** Of many entries that are written at once nobody may ask. */
    get json() {
      return render()
    },
    values() {
      parsed ??= JSON.parse(render())
      return parsed ?? {}
    },
    formats: formatsOf(type, copy),
    included: new Map(),
  }

  function render(): string {
    json ??= renderDocument(type, copy.body.values)
    return json
  }
}

function formatsOf(type: ContentType, { body }: Copy): Readonly<Record<string, string>> {
  const shown = scalarsOf(type).filter(isShown)
  // No prototype: an attribute may have any name.
  const named: Record<string, string> = Object.create(null)
  for (const { name, no } of shown) {
    const format = body.formats[no]
    if (format !== undefined) named[name] = format
  }
  return named
}
