import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorOf } from '#access'
import { type MediaFile, viewerOf } from '#content'
import { compare } from '#content-dialect'
import { type Form, withForm } from '#content-media'
import type { Slots } from '#content-query'
import type { Tx } from '#db'
import type { HttpPlugin } from '#http'
import { queryTextOf } from '#http-text'
import { isUuid, notFound } from '#kernel'
import { parseIntegerId } from '#paging'
import { parseFileInfos } from '../body/form.ts'
import { fault } from '../body/parse.ts'
import type { CmsDeps } from '../deps.ts'
import { splitQuery, toText } from '../query/brackets.ts'
import { parseFilesQuery } from '../query/paging.ts'
import { populatesRelated } from '../query/related.ts'
import { parseFields } from '../query/showing.ts'
import { createRelated } from '../read/related.ts'
import { type FilesShown, renderFile, renderFiles } from '../render/entry.ts'
import { formOf, refuseOthers, sendJson } from '../request.ts'
import { createAttach, parseReference } from '../write/attach.ts'

const UPLOAD = '/upload'
const LIST = '/upload/files'
const ONE = '/upload/files/:id'
const forReaders = { access: 'read' } as const
const forWriters = { access: 'write' } as const

/** Contract §7: uploads answer plain lists and flat objects, without `data` around them. */
export function uploadRoutes(deps: CmsDeps): HttpPlugin {
  const { content } = deps
  const { media } = content
  const prepare = content.fileTemplates()
  const attach = createAttach(deps)
  const findRelated = createRelated(content)
  return (app) => {
    app.post(UPLOAD, { config: forWriters }, upload)
    refuseOthers(app, UPLOAD, ['POST'])

    app.get(LIST, { config: forReaders }, async (request, reply) => {
      const { template, values, nest } = splitQuery(queryTextOf(request))
      const model = content.model()
      const read = (slots: Slots) => ({ query: parseFilesQuery(nest(slots)) })
      const prepared = prepare(viewerOf(request), { model, template, values, read })
      const { files } = await content.readFiles(prepared)
      const shown = await shownOf(request, files)
      return sendJson(request, reply, renderFiles(files, formOf(request), shown))
    })
    refuseOthers(app, LIST, ['GET'])

    app.get(ONE, { config: forReaders }, async (request, reply) => {
      const file = await getShown(request, await get(idIn(request)))
      const shown = await shownOf(request, [file])
      return sendJson(request, reply, renderFile(file, formOf(request), shown))
    })
    app.delete(ONE, { config: forWriters }, async (request, reply) => {
      const { id } = await get(idIn(request))
      return sendJson(request, reply, renderFile(await media.remove(id), formOf(request)))
    })
    refuseOthers(app, ONE, ['GET', 'DELETE'])
  }

  async function shownOf(
    request: FastifyRequest,
    files: readonly MediaFile[],
  ): Promise<FilesShown> {
    const raw = splitQuery(queryTextOf(request)).nest()
    const fields = parseFields(raw['fields'], 'files', ['fields'])
    if (!populatesRelated(raw['populate'])) return { fields }
    return { fields, related: await findRelated(viewerOf(request), files) }
  }

  async function upload(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    if (!request.isMultipart()) throw noFiles()
    const id = toText(splitQuery(queryTextOf(request)).nest(), 'id')
    const shown = formOf(request)
    const body = await withForm(request, media, async (form) => {
      if (id === undefined) return renderFiles(await keep(request, form), shown)
      return renderFile(await change(id, form), shown)
    })
    return sendJson(request, reply, body)
  }

  async function keep(request: FastifyRequest, form: Form): Promise<readonly MediaFile[]> {
    const received = filesOf(form)
    if (received.length === 0) throw noFiles()
    const infos = parseFileInfos(form, received.length)
    const reference = parseReference(form, content.model())
    return attach(request, reference, async (tx: Tx) => {
      const files: MediaFile[] = []
      for (const [at, file] of received.entries()) {
        files.push(await media.keep(actorOf(request), file, infos[at], tx))
      }
      return files
    })
  }

  /** With one file its bytes are replaced, without any only what is said of it. */
  async function change(id: string, form: Form): Promise<MediaFile> {
    const known = await get(id)
    const [received, ...more] = filesOf(form)
    if (more.length > 0) throw fault('files', 'A file can be replaced by one file only')
    const [info = {}] = parseFileInfos(form, 1)
    return received ? media.replace(known.id, received, info) : media.describe(known.id, info)
  }

  /** Files of types that the caller may not read do not exist for it. */
  async function getShown(request: FastifyRequest, { id }: MediaFile): Promise<MediaFile> {
    const read = ({ whole }: Slots) => ({
      query: { ...parseFilesQuery({}), filter: compare('id', 'eq', whole(0)) },
    })
    const question = { model: content.model(), template: ONE, values: [id], read }
    const { files } = await content.readFiles(prepare(viewerOf(request), question))
    const [shown] = files
    if (!shown) throw notFound('file')
    return shown
  }

  async function get(text: string): Promise<MediaFile> {
    const target = isUuid(text) ? { uuid: text.toLowerCase() } : { id: parseIntegerId(text) ?? 0 }
    const file = await media.find(target)
    if (!file) throw notFound('file')
    return file
  }
}

function filesOf({ files }: Form) {
  const other = files.find(({ field }) => !/^files(\[\d*\])?$/.test(field))
  if (other) throw fault(other.field, 'Files are sent in the form field files')
  return files.map(({ received }) => received)
}

function noFiles() {
  return fault('files', 'Files are empty: send at least one in the form field files')
}

function idIn({ params }: FastifyRequest): string {
  const { id }: { id?: unknown } = Object(params)
  return String(id)
}
