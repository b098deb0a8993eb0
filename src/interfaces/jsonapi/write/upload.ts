import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { actorOf } from '#access'
import { type Entry, isAllowedFile, type MediaFile } from '#content'
import { decodeText, includeOf } from '#content-dialect'
import type { Tx } from '#db'
import { once } from '#http'
import { DomainError } from '#kernel'
import { refusalAt, unknownResource } from '../errors.ts'
import { parseShowing } from '../query/parse.ts'
import { createFiles } from '../read/files.ts'
import { createFinder, fixed } from '../read/find.ts'
import type { ReadDeps } from '../read.ts'
import type { Asked } from '../request.ts'
import type { EntryResource, Resource } from '../target/catalogue.ts'
import type { MediaAttribute } from '../target/names.ts'
import type { Named } from '../target.ts'
import { requireRevision, type WriteTools } from './tools.ts'

const OCTETS = 'application/octet-stream'

/** Files sent as they are, for a media field (contract §7.4). */
export function createUploads(deps: ReadDeps, tools: WriteTools) {
  const { content, transaction } = deps
  const { media } = content
  const files = createFiles(deps)
  const finder = createFinder(content)
  return { store, attach }

  /** A file that belongs to no entry yet. */
  async function store(asked: Asked, resource: Resource, name: string): Promise<Buffer> {
    const field = fieldOf(resource, name)
    const fileName = parseFileName(asked.request.headers)
    parseShowing(asked, filesOf(asked))
    const file = await once(asked.request, (alongside) =>
      keep(asked, field, fileName, (own, tx) => alongside?.(tx, own)),
    )
    asked.reply.code(201).header('location', `${asked.base}/file/file/${file.uuid}`)
    return render(asked, [file], false)
  }

  /** The file and the entry that has it change together. */
  async function attach(asked: Asked, { resource, id, name }: Named) {
    if (resource.kind !== 'entry') throw unknownResource()
    const field = fieldOf(resource, name)
    if (field === 'any') throw unknownResource()
    const fileName = parseFileName(asked.request.headers)
    parseShowing(asked, filesOf(asked))
    const current = await tools.findCurrent(asked, resource, id)
    requireRevision(asked, current)
    const shown = await once<readonly MediaFile[]>(asked.request, async (alongside) => {
      let shown: readonly MediaFile[] = []
      // Looked up when the file is here: others may have attached theirs meanwhile.
      const link = async (file: MediaFile, tx: Tx) => {
        const before = field.multiple ? await attached(asked, resource, current, field) : []
        shown = [...before, file]
        const ids = shown.map(({ uuid }) => uuid)
        const values = { [field.name]: field.multiple ? ids : file.uuid }
        const options = { status: 'keep', tx } as const
        const actor = actorOf(asked.request)
        await content.entries.update(actor, resource.type, { id: current.id }, { values }, options)
        await alongside?.(tx, shown)
      }
      await tools.perform(resource, {}, [], () => keep(asked, field, fileName, link))
      return shown
    })
    return render(asked, shown, field.multiple)
  }

  async function attached(
    asked: Asked,
    resource: EntryResource,
    { documentId, locale }: Entry,
    { name }: MediaAttribute,
  ): Promise<readonly MediaFile[]> {
    const here = { ...asked, locale: locale ?? asked.locale }
    const wanted = fixed([includeOf(name)])
    const entry = await finder.find(here, resource, documentId, 'working', wanted)
    const found = entry?.included.get(name)
    return found?.kind === 'files' ? found.files : []
  }

  async function keep(
    { request }: Asked,
    field: MediaAttribute | 'any',
    name: string,
    alongside: (file: MediaFile, tx: Tx) => Promise<void> | undefined,
  ): Promise<MediaFile> {
    const received = await media.receive({ name, stream: Readable.from(bytesOf(request.raw)) })
    if (field !== 'any' && !isAllowedFile(field, received.mime)) {
      await media.discard([received])
      const message = `${field.name} does not take ${received.mime}`
      throw new DomainError('unprocessable', 'file_not_allowed', message)
    }
    try {
      await media.store([received])
      return await transaction(undefined, async (tx) => {
        const file = await media.keep(actorOf(request), received, {}, tx)
        await alongside(file, tx)
        return file
      })
    } catch (error) {
      await media.discard([received])
      throw error
    }
  }

  function render(asked: Asked, shown: readonly MediaFile[], isList: boolean): Buffer {
    return Buffer.from(files.render(asked, filesOf(asked), shown, isList))
  }
}

function filesOf({ catalogue }: Asked) {
  const resource = catalogue.find('file--file')
  if (resource?.kind !== 'file') throw unknownResource()
  return resource
}

/** Whoever stops reading leaves the request as it is: its connection is what the answer goes by. */
async function* bytesOf(request: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk
}

/** Unknown fields are 404, fields that hold no media 403; the library takes every file. */
function fieldOf(resource: Resource, name: string): MediaAttribute | 'any' {
  if (resource.kind === 'media' && resource.media.fileField === name) return 'any'
  const attribute = resource.kind === 'entry' ? resource.names.writable.get(name) : undefined
  if (!attribute) throw unknownResource(`There is no field ${name}`)
  if (attribute.type === 'media') return attribute
  throw new DomainError('forbidden', 'not_a_media_field', `${name} is no media field`)
}

/** `file; filename="a.png"`; `filename*` of RFC 8187 wins. */
function parseFileName(headers: IncomingHttpHeaders): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== OCTETS) {
    const message = `A file is sent as ${OCTETS}`
    const at = { header: 'Content-Type' }
    throw refusalAt('unsupported_media', 'unsupported_media_type', at, message)
  }
  const { 'content-disposition': header } = headers
  const [, encoded] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header ?? '') ?? []
  const [, quoted, bare] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '') ?? []
  const plain = quoted === undefined ? bare : Buffer.from(quoted, 'latin1').toString('utf8')
  const name = (encoded === undefined ? plain : decodeText(encoded))?.replaceAll(/\\(.)/g, '$1')
  if (name !== undefined && name !== '' && !/[/\\]/.test(name)) return name
  const message = 'Content-Disposition must be file; filename="…", without a path'
  const at = { header: 'Content-Disposition' }
  throw refusalAt('invalid', 'invalid_file_name', at, message)
}
