import { renderTime } from '#kernel'
import type { MediaFile } from '../entry.ts'
import { toKilobytes } from './kilobytes.ts'
import type { FileUse } from './uses.ts'

/** Version 2 shows UUIDs as ids (REST conventions §7). */
export type Version = 1 | 2

export function renderFile(file: MediaFile, version: Version) {
  const { id, uuid } = file
  return {
    ...(version === 1 ? { id, uuid } : { id: uuid, entry_id: id }),
    url: file.url,
    name: file.name,
    alternative_text: file.alternativeText,
    caption: file.caption,
    mime: file.mime,
    ext: file.ext,
    width: file.width,
    height: file.height,
    formats: file.formats,
    focal_point: file.focalPoint,
    crops: file.crops,
    size: toKilobytes(file.sizeBytes),
    folder: file.folder,
    created_at: renderTime(file.createdAtMs),
    updated_at: renderTime(file.updatedAtMs),
  }
}

/** Where `/api` has the entry, and which of its copies have the file. */
export function renderUse(use: FileUse, version: Version) {
  const { type, entryId, documentId } = use
  const id = version === 1 ? entryId : documentId
  const path = type.kind === 'singleType' ? `/${type.singularName}` : `/${type.pluralName}/${id}`
  return {
    type: type.singularName,
    ...(version === 1 ? { id, document_id: documentId } : { id, entry_id: entryId }),
    locale: use.locale === '' ? null : use.locale,
    field: use.field,
    component: use.component,
    is_live: use.isLive,
    is_draft: use.isWorking && !use.isLive,
    url: `/api/v${version}${path}`,
  }
}
