import type { MediaFile } from '#content'
import type { MediaFolder, MediaItem } from '#content-media'
import { type Selection, select } from '../query/selection.ts'
import { renderDate } from './view.ts'

const KINDS = ['image', 'video', 'audio'] as const

/** `Image`, `Video`, `Audio` or `File`. */
export function mediaTypeOf({ mime }: Pick<MediaFile, 'mime'>): string {
  const kind = KINDS.find((each) => mime.startsWith(`${each}/`)) ?? 'file'
  return `${kind[0]?.toUpperCase()}${kind.slice(1)}`
}

/** Inside the properties of an item (contract §6.6); `properties` is JSON. */
export function renderFile(file: MediaFile, properties: string): string {
  return `{${fileMembers(file)},"properties":${properties}}`
}

function fileMembers(file: MediaFile): string {
  const { uuid, name, url, ext, width, height, sizeBytes, focalPoint, crops } = file
  return [
    `"focalPoint":${JSON.stringify(focalPoint)},"crops":${JSON.stringify(crops)}`,
    `"id":"${uuid}"`,
    `"name":${JSON.stringify(name)}`,
    `"mediaType":"${mediaTypeOf(file)}"`,
    `"url":${JSON.stringify(url)}`,
    `"extension":${JSON.stringify(ext.replace(/^\./, ''))}`,
    `"width":${width},"height":${height},"bytes":${sizeBytes}`,
  ].join(',')
}

/** What is said of a file besides; a caption only where there is one. */
export function renderFileProperties(
  { alternativeText, caption }: MediaFile,
  fields: Selection | undefined,
): string {
  const members = [
    ['alternativeText', alternativeText] as const,
    ...(caption === null ? [] : [['caption', caption] as const]),
  ]
  const shown = fields ? members.filter(([name]) => select(fields, name)) : members
  return JSON.stringify(Object.fromEntries(shown))
}

/** An item of the media endpoints (contract §7). */
export function renderMediaItem(item: MediaItem, fields: Selection | undefined): string {
  return item.kind === 'file' ? renderWhole(item.file, fields) : renderFolder(item.folder)
}

function renderWhole(file: MediaFile, fields: Selection | undefined): string {
  const folder = file.folder === '/' ? '' : file.folder
  const path = `${folder}/${file.name}/`.toLowerCase()
  const members = `"path":${JSON.stringify(path)},${datesOf(file)}`
  return `{${members},${fileMembers(file)},"properties":${renderFileProperties(file, fields)}}`
}

function renderFolder(folder: MediaFolder): string {
  const path = JSON.stringify(`${folder.path}/`.toLowerCase())
  return [
    `{"path":${path},${datesOf(folder)},"focalPoint":null,"crops":null`,
    `"id":"${folder.id}","name":${JSON.stringify(folder.name)},"mediaType":"Folder","url":""`,
    '"extension":null,"width":null,"height":null,"bytes":null,"properties":{}}',
  ].join(',')
}

function datesOf({ createdAtMs, updatedAtMs }: Pick<MediaFile, 'createdAtMs' | 'updatedAtMs'>) {
  return `"createDate":${renderDate(createdAtMs)},"updateDate":${renderDate(updatedAtMs)}`
}
