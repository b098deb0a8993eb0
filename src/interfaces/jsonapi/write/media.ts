import type { MediaFile } from '#content'
import type { FileInfo } from '#content-media'
import { DomainError, isObject, isUuid } from '#kernel'
import { parseResource, type SentResource } from '../body/document.ts'
import { parseIdentifier } from '../body/identifiers.ts'
import { badDocument, issueAt, refusalAt, unknownResource } from '../errors.ts'
import { parseShowing } from '../query/parse.ts'
import { createFiles } from '../read/files.ts'
import type { ReadDeps } from '../read.ts'
import type { Asked } from '../request.ts'
import type { Resource } from '../target/catalogue.ts'

type MediaResource = Exclude<Resource, { kind: 'entry' }>

const IGNORED = new Set([
  ...['status', 'langcode', 'default_langcode', 'created', 'changed', 'revision_timestamp'],
  ...['path', 'promote', 'sticky', 'revision_log', 'revision_translation_affected'],
])

/**
 * The media library. A stored file is its item at once: making the item of a file names it, and
 * removing either removes both.
 */
export function createMediaWriting(deps: ReadDeps) {
  const { content } = deps
  const files = createFiles(deps)
  return { create, change, remove }

  async function create(asked: Asked, resource: MediaResource): Promise<Buffer> {
    if (resource.kind !== 'media') throw unknownResource()
    parseShowing(asked, resource)
    const sent = parseResource(asked.request, resource)
    const id = fileOf(sent, resource.media.fileField)
    const file = isUuid(id) ? await content.media.find({ uuid: id.toLowerCase() }) : undefined
    const at = { pointer: `/data/relationships/${resource.media.fileField}/data` }
    if (!file) throw refusalAt('not_found', 'target_not_found', at, `There is no file ${id}`)
    await files.find(asked.viewer, resource, file.uuid)
    const made = await content.media.describe(file.id, infoOf(sent, resource.media.fileField))
    asked.reply.code(201).header('location', `${asked.base}${resource.path}/${made.uuid}`)
    return Buffer.from(files.render(asked, resource, [made], false))
  }

  async function change(asked: Asked, resource: MediaResource, id: string): Promise<Buffer> {
    if (resource.kind !== 'media') throw unknownResource()
    parseShowing(asked, resource)
    const sent = parseResource(asked.request, resource)
    if (sent.id === undefined) throw badDocument('/data', 'The resource has no id', 'id')
    if (sent.id.toLowerCase() !== id) {
      throw refusalAt(
        'conflict',
        'id_mismatch',
        { pointer: '/data/id' },
        'Another id than in the URL',
      )
    }
    const file: MediaFile = await files.find(asked.viewer, resource, id)
    const changed = await content.media.describe(file.id, infoOf(sent, resource.media.fileField))
    return Buffer.from(files.render(asked, resource, [changed], false))
  }

  async function remove(asked: Asked, resource: MediaResource, id: string): Promise<undefined> {
    const file = await files.find(asked.viewer, resource, id)
    await content.media.remove(file.id)
    asked.reply.code(204).removeHeader('content-type')
  }
}

function fileOf({ relationships }: SentResource, fileField: string): string {
  const relationship = relationships[fileField]
  const at = `/data/relationships/${fileField}`
  if (!isObject(relationship)) {
    const source = { pointer: '/data', field: fileField }
    throw refusalAt('unprocessable', 'value_required', source, `${fileField} is required`)
  }
  return parseIdentifier(relationship['data'], `${at}/data`).id
}

/** Its name, and what is said of the picture beside its file. */
function infoOf({ attributes, relationships }: SentResource, fileField: string): FileInfo {
  const unknown = Object.keys(attributes).filter(
    (name) => name !== 'name' && !IGNORED.has(name) && !name.startsWith('drupal_internal__'),
  )
  if (unknown.length > 0) throw unknownAttributes(unknown)
  const { name } = attributes
  const relationship = relationships[fileField]
  const data = isObject(relationship) ? relationship['data'] : undefined
  const meta = isObject(data) && isObject(data['meta']) ? data['meta'] : {}
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(isTextOrNull(meta['alt']) ? { alternativeText: meta['alt'] } : {}),
    ...(isTextOrNull(meta['title']) ? { caption: meta['title'] } : {}),
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function unknownAttributes(names: readonly string[]): DomainError {
  const issues = names.map((name) =>
    issueAt(
      { pointer: `/data/attributes/${name}` },
      'unknown_field',
      `There is no attribute ${name}`,
    ),
  )
  return new DomainError('unprocessable', 'validation_error', 'Unknown attributes', { issues })
}
