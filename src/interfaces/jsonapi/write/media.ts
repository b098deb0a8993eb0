import type { MediaFile } from '#content'
import { expectedVersion } from '#content-dialect'
import type { FileInfo } from '#content-media'
import { DomainError, isObject, isUuid } from '#kernel'
import { checkId, parseIdentifier, parseResource, type SentResource } from '../body/document.ts'
import { isManaged } from '../body/input.ts'
import { issueAt, refusalAt, unknownResource } from '../errors.ts'
import { parseShowing } from '../query/parse.ts'
import { createFiles, fileTag, versionOf } from '../read/files.ts'
import type { ReadDeps } from '../read.ts'
import type { Asked } from '../request.ts'
import type { Resource } from '../target/catalogue.ts'
import { done } from './tools.ts'

type MediaResource = Exclude<Resource, { kind: 'entry' }>

/**
 * The media library. A stored file is its item at once: making the item of a file names it, and
 * removing either removes both.
 */
export function createMediaWriting(deps: ReadDeps) {
  const { content } = deps
  const files = createFiles(deps)
  return { create, change, remove }

  async function create(asked: Asked, resource: MediaResource): Promise<Buffer> {
    const { sent, fileField } = read(asked, resource)
    const id = fileOf(sent, fileField)
    const file = isUuid(id) ? await content.media.find({ uuid: id }) : undefined
    const at = { pointer: `/data/relationships/${fileField}/data` }
    if (!file) throw refusalAt('not_found', 'target_not_found', at, `There is no file ${id}`)
    if (sent.id !== undefined && sent.id.toLowerCase() !== id) {
      const message = 'The id of an item of the media library is that of its file'
      throw refusalAt('unprocessable', 'invalid_id', { pointer: '/data/id' }, message)
    }
    await files.find(asked.viewer, resource, file.uuid)
    const made = await content.media.describe(file.id, infoOf(sent, fileField))
    asked.reply.code(201).header('location', `${asked.base}${resource.path}/${made.uuid}`)
    return answer(asked, resource, made)
  }

  async function change(asked: Asked, resource: MediaResource, id: string): Promise<Buffer> {
    const { sent, fileField } = read(asked, resource)
    checkId(sent, id)
    const file = await current(asked, resource, id)
    if (Object.hasOwn(sent.relationships, fileField) && fileOf(sent, fileField) !== id) {
      const at = { pointer: `/data/relationships/${fileField}/data/id` }
      const message = 'An item of the media library keeps its file; upload the other one'
      throw refusalAt('unprocessable', 'other_file', at, message)
    }
    const changed = await content.media.describe(file.id, infoOf(sent, fileField))
    return answer(asked, resource, changed)
  }

  /** As far as `If-Match` lets it be changed. */
  async function current(asked: Asked, resource: MediaResource, id: string): Promise<MediaFile> {
    const file = await files.find(asked.viewer, resource, id)
    expectedVersion(asked.request.headers['if-match'], versionOf(file), 'file')
    return file
  }

  function answer(asked: Asked, resource: MediaResource, file: MediaFile): Buffer {
    const text = files.render(asked, resource, [file], false)
    asked.reply.header('etag', fileTag(file, text))
    return Buffer.from(text)
  }

  /** All of the request, before anything is written. */
  function read(asked: Asked, resource: MediaResource) {
    if (resource.kind !== 'media') throw unknownResource()
    parseShowing(asked, resource)
    const { fileField } = resource.media
    return { sent: parseResource(asked.request, resource), fileField }
  }

  async function remove(asked: Asked, resource: MediaResource, id: string): Promise<undefined> {
    const file = await current(asked, resource, id)
    await content.media.remove(file.id)
    return done(asked)
  }
}

function fileOf({ relationships }: SentResource, fileField: string): string {
  const relationship = relationships[fileField]
  const at = `/data/relationships/${fileField}`
  if (!isObject(relationship)) {
    const source = { pointer: '/data', field: fileField }
    throw refusalAt('unprocessable', 'value_required', source, `${fileField} is required`)
  }
  const { type, id } = parseIdentifier(relationship['data'], `${at}/data`)
  if (type === 'file--file') return id.toLowerCase()
  const source = { pointer: `${at}/data/type` }
  throw refusalAt('unprocessable', 'wrong_target_type', source, `${fileField} takes file--file`)
}

/** Its name, and what is said of the picture beside its file. */
function infoOf({ attributes, relationships }: SentResource, fileField: string): FileInfo {
  const { name } = attributes
  const relationship = relationships[fileField]
  const data = isObject(relationship) ? relationship['data'] : undefined
  const meta = isObject(data) && isObject(data['meta']) ? data['meta'] : {}
  const issues = Object.keys(attributes)
    .filter((each) => each !== 'name' && !isManaged(each))
    .map((each) => faultAt(`attributes/${each}`, 'unknown_field', `There is no attribute ${each}`))
  for (const each of Object.keys(relationships)) {
    if (each === fileField) continue
    issues.push(
      faultAt(`relationships/${each}`, 'unknown_field', `There is no relationship ${each}`),
    )
  }
  if (attributes['status'] === false) {
    issues.push(faultAt('attributes/status', 'boolean', 'Media are always published'))
  }
  if (name === null) issues.push(faultAt('attributes/name', 'wrong_type', 'name must be text'))
  const about = `relationships/${fileField}/data/meta`
  const info = {
    name: textAt('attributes/name', name),
    alternativeText: textAt(`${about}/alt`, meta['alt']),
    caption: textAt(`${about}/title`, meta['title']),
  }
  if (issues.length === 0) return withoutAbsent(info)
  throw new DomainError('unprocessable', 'validation_error', 'Some members are not valid', {
    issues,
  })

  /** Undefined when it was not sent. */
  function textAt(at: string, value: unknown): string | null | undefined {
    if (value === undefined || isTextOrNull(value)) return value
    issues.push(faultAt(at, 'wrong_type', `${at.split('/').at(-1)} must be text`))
    return undefined
  }
}

function faultAt(at: string, rule: string, message: string) {
  return issueAt({ pointer: `/data/${at}` }, rule, message)
}

function withoutAbsent({ name, alternativeText, caption }: Told): FileInfo {
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText }),
    ...(caption === undefined ? {} : { caption }),
  }
}

type Told = { readonly [name in 'name' | 'alternativeText' | 'caption']: string | null | undefined }

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
