import type { MediaFile } from '#content'
import { bundleOf, type MediaBundle } from '../target/catalogue.ts'
import {
  isWanted,
  type Member,
  renderIdentifier,
  renderMembers,
  renderRelationship,
  renderResource,
  renderSeconds,
  type View,
} from './view.ts'

/** A file as an item of the media library. */
export function renderMedia(file: MediaFile, view: View): string {
  const media = bundleOf(file)
  const type = `media--${media.bundle}`
  const of = `${view.base}/media/${media.bundle}/${file.uuid}`
  const { fileField } = media
  const data = fileIdentifier(file)
  const related: Member[] = isWanted(view, type, fileField)
    ? [[fileField, renderRelationship({ of, name: fileField, version: '', data })]]
    : []
  return renderResource({
    ...{ type, id: file.uuid, self: of },
    attributes: renderMembers(view, type, mediaMembers(file, view)),
    relationships: renderMembers(view, type, related),
  })
}

function mediaMembers(file: MediaFile, view: View): Member[] {
  return [
    ['drupal_internal__mid', String(file.id)],
    ['drupal_internal__vid', String(file.id)],
    ['langcode', JSON.stringify(view.catalogue.model.defaultLocale)],
    ['default_langcode', 'true'],
    ['status', 'true'],
    ['name', JSON.stringify(file.name)],
    ['created', renderSeconds(file.createdAtMs)],
    ['changed', renderSeconds(file.updatedAtMs)],
    ['revision_timestamp', renderSeconds(file.updatedAtMs)],
  ]
}

/** The stored bytes. */
export function renderFileResource(file: MediaFile, view: View): string {
  return renderResource({
    ...{ type: 'file--file', id: file.uuid, self: `${view.base}/file/file/${file.uuid}` },
    attributes: renderMembers(view, 'file--file', [
      ['drupal_internal__fid', String(file.id)],
      ['langcode', JSON.stringify(view.catalogue.model.defaultLocale)],
      ['filename', JSON.stringify(file.name)],
      ['uri', JSON.stringify({ value: `public://${file.hash}${file.ext}`, url: file.url })],
      ['filemime', JSON.stringify(file.mime)],
      ['filesize', String(file.sizeBytes)],
      ['status', 'true'],
      ['created', renderSeconds(file.createdAtMs)],
      ['changed', renderSeconds(file.updatedAtMs)],
    ]),
  })
}

export function mediaIdentifier(file: MediaFile): string {
  const meta = { drupal_internal__target_id: file.id }
  return renderIdentifier({ type: `media--${bundleOf(file).bundle}`, id: file.uuid, meta })
}

/** With what the library knows of the picture. */
export function fileIdentifier(file: MediaFile): string {
  return renderIdentifier({ type: 'file--file', id: file.uuid, meta: metaOf(file, bundleOf(file)) })
}

function metaOf(file: MediaFile, { bundle }: MediaBundle): Record<string, unknown> {
  const { id, alternativeText, caption, width, height } = file
  const target = { drupal_internal__target_id: id }
  if (bundle === 'image') return { alt: alternativeText, title: caption, width, height, ...target }
  return { display: true, description: caption, ...target }
}
