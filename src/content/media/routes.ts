import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Database } from '#db'
import type { HttpPlugin } from '#http'
import { type Actor, DomainError, invalid, isUuid, notFound, renderTime } from '#kernel'
import { answerList, parseIntegerId, parseList } from '#paging'
import type { MediaFile } from '../entry.ts'
import { findFiles, MEDIA_SORTS } from './list.ts'
import { type Media, toKilobytes } from './media.ts'
import { type Form, useForms, withForm } from './multipart.ts'
import type { FileInfo, FileTarget } from './store.ts'

interface Deps {
  readonly db: Database
  readonly media: Media
  /** Version 2 shows UUIDs as ids (REST conventions §7). */
  readonly version: 1 | 2
  origin(request: FastifyRequest): string
}

const tags = ['Media']
const forReaders = { access: 'read' } as const
const forWriters = { access: 'write' } as const
const Params = Type.Object({ id: Type.String() })
const text = Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])
const FileChange = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    alternative_text: Type.Optional(text),
    caption: Type.Optional(text),
    folder: Type.Optional(Type.String({ pattern: '^/', maxLength: 255 })),
  },
  { additionalProperties: false },
)

/** `/api/v1/media` and `/api/v2/media` (REST conventions §2). */
export function mediaRoutes({ db, media, version, origin }: Deps): HttpPlugin {
  const render = (file: MediaFile) => renderFile(file, version)
  const base = `/api/v${version}/media`
  return async (app) => {
    await useForms(app, media)

    app.get('/media', { config: forReaders, schema: { tags } }, async (request, reply) => {
      const list = parseList(request, reply, {
        sorts: MEDIA_SORTS,
        filters: ['name', 'mime', 'ext', 'folder'],
        maxLimit: 100,
      })
      const page = await findFiles(db.main.reader, list)
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page,
        render,
      })
    })

    app.post(
      '/media',
      {
        config: { ...forWriters, etag: false },
        schema: { tags, consumes: ['multipart/form-data'] },
      },
      async (request, reply) => {
        const file = await withForm(request, media, (form) => keepOne(request, form))
        reply.code(201).header('location', `${base}/${version === 1 ? file.id : file.uuid}`)
        return { data: render(file) }
      },
    )

    app.get(
      '/media/:id',
      { config: forReaders, schema: { tags, params: Params } },
      async ({ params }) => ({ data: render(await get(params.id)) }),
    )

    app.patch(
      '/media/:id',
      { config: forWriters, schema: { tags, params: Params, body: FileChange } },
      async ({ params, body }) => {
        const { id } = await get(params.id)
        const { alternative_text: alternativeText, ...rest } = body
        const info = { ...rest, ...(alternativeText === undefined ? {} : { alternativeText }) }
        return { data: render(await media.describe(id, info)) }
      },
    )

    app.delete(
      '/media/:id',
      { config: forWriters, schema: { tags, params: Params } },
      async ({ params }, reply) => {
        const { id } = await get(params.id)
        await media.remove(id)
        reply.code(204)
      },
    )
  }

  async function get(id: string): Promise<MediaFile> {
    const target = toTarget(id)
    const file = target && (await media.find(target))
    if (!file) throw notFound('file')
    return file
  }

  async function keepOne(request: FastifyRequest, form: Form): Promise<MediaFile> {
    const [file, ...more] = form.files
    if (file?.field !== 'file' || more.length > 0) {
      throw invalid([
        { path: ['file'], rule: 'required', message: 'Send one file in the form field `file`' },
      ])
    }
    return media.keep(actorOf(request), file.received, toInfo(form.fields))
  }
}

function toInfo(fields: Form['fields']): FileInfo {
  const unknown = [...fields.keys()].find((name) => !INFO_FIELDS.includes(name))
  if (unknown !== undefined) {
    const message = `${unknown} is not a field of this form`
    throw invalid([{ path: [unknown], rule: 'unknown_field', message }], 'unknown_field')
  }
  const name = fields.get('name')
  const alternativeText = fields.get('alternative_text')
  const caption = fields.get('caption')
  return {
    ...(name ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText }),
    ...(caption === undefined ? {} : { caption }),
  }
}

const INFO_FIELDS = ['name', 'alternative_text', 'caption']

function toTarget(text: string): FileTarget | undefined {
  if (isUuid(text)) return { uuid: text.toLowerCase() }
  const id = parseIntegerId(text)
  return id === undefined ? undefined : { id }
}

function actorOf({ actor }: FastifyRequest): Actor {
  if (!actor) throw new DomainError('unauthenticated', 'api_key_required', 'API key required')
  return actor
}

function renderFile(file: MediaFile, version: 1 | 2) {
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
    size: toKilobytes(file.sizeBytes),
    folder: file.folder,
    created_at: renderTime(file.createdAtMs),
    updated_at: renderTime(file.updatedAtMs),
  }
}
