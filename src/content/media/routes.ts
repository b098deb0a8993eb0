import type { FastifyRequest } from 'fastify'
import type { HttpPlugin } from '#http'
import { type Actor, DomainError, hasAccess, invalid, isUuid, notFound } from '#kernel'
import { answerList, parseIntegerId, parseList } from '#paging'
import type { MediaFile } from '../entry.ts'
import type { Folders } from './folder-changes.ts'
import { folderRoutes } from './folder-routes.ts'
import { MEDIA_SORTS } from './list.ts'
import type { Media } from './media.ts'
import { type Form, fieldOf, useForms, withForm } from './multipart.ts'
import type { Received } from './receive.ts'
import { renderFile, renderUse, type Version } from './render.ts'
import { FileChange, FileParams, MadeRecord, toInfo } from './schemas.ts'
import type { FileInfo, FileTarget } from './store.ts'

interface Deps {
  readonly media: Media
  readonly folders: Folders
  readonly version: Version
  origin(request: FastifyRequest): string
}

const tags = ['Media']
/** Of each type. */
const MOST_USES = 1_000
const forReaders = { access: 'read' } as const
const forWriters = { access: 'write' } as const

/** `/api/v1/media` and `/api/v2/media` (REST conventions §2). */
export function mediaRoutes({ media, folders, version, origin }: Deps): HttpPlugin {
  const render = (file: MediaFile) => renderFile(file, version)
  const base = `/api/v${version}/media`
  return async (app) => {
    await useForms(app, media)
    await folderRoutes(folders, base)(app)

    app.get(
      '/media',
      {
        config: forReaders,
        schema: {
          tags,
          summary: 'List files',
          description:
            'Pages of files with their size, kind and URL. They are filtered by name, a part of it (`q`), kind, ending and folder.',
        },
      },
      async (request, reply) => {
        const list = parseList(request, reply, {
          sorts: MEDIA_SORTS,
          filters: ['name', 'q', 'mime', 'ext', 'folder'],
          maxLimit: 100,
        })
        const page = await media.list(levelOf(request), list)
        return answerList(request, reply, {
          origin: origin(request),
          paging: list.paging,
          page,
          render,
        })
      },
    )

    app.post(
      '/media',
      {
        config: { ...forWriters, etag: false },
        schema: {
          tags,
          summary: 'Upload a file',
          description:
            'Takes a form with `file` and optionally `alternative_text`, `caption`, `folder` and `uuid`; a `uuid` that is taken is refused with 409. The kind is found in the bytes themselves, not in the name.',
          consumes: ['multipart/form-data'],
          response: { 201: MadeRecord },
        },
      },
      async (request, reply) => {
        const file = await withForm(request, media, (form) => keepOne(request, form))
        reply.code(201).header('location', `${base}/${version === 1 ? file.id : file.uuid}`)
        return { data: render(file) }
      },
    )

    app.get(
      '/media/:id',
      {
        config: forReaders,
        schema: {
          tags,
          summary: 'Read a file',
          description:
            'The record of one file; its bytes are at `url`. Pictures have width and height.',
          params: FileParams,
        },
      },
      async (request) => ({ data: render(await get(request)) }),
    )

    app.patch(
      '/media/:id',
      {
        config: forWriters,
        schema: {
          tags,
          summary: 'Change a file',
          description:
            'Changes name, alternative text, caption or folder. The bytes stay as they are.',
          params: FileParams,
          body: FileChange,
        },
      },
      async (request) => {
        const { id } = await get(request)
        return { data: render(await media.describe(id, toInfo(request.body))) }
      },
    )

    app.put(
      '/media/:id/file',
      {
        config: { ...forWriters, etag: false },
        schema: {
          tags,
          summary: 'Replace the bytes of a file',
          description:
            'Puts other bytes in the place of those the file has: its id stays and entries go on showing it, under a new URL. Formats of a picture are made anew.',
          params: FileParams,
          consumes: ['multipart/form-data'],
        },
      },
      async (request) => {
        const { id } = await get(request)
        const file = await withForm(request, media, (form) =>
          media.replace(id, onlyFile(form), parseInfo(form)),
        )
        return { data: render(file) }
      },
    )

    app.get(
      '/media/:id/related',
      {
        config: forReaders,
        schema: {
          tags,
          summary: 'Where a file is used',
          description:
            'The entries that show the file, with the field they show it in. Drafts are listed for callers of level write.',
          params: FileParams,
        },
      },
      async (request) => {
        const uses = await media.findUses(levelOf(request), [await get(request)], MOST_USES)
        // Content model §9: that there are drafts is for those who may write them.
        const isWriter = hasAccess(actorOf(request), 'write')
        const shown = uses.filter(({ isLive }) => isLive || isWriter)
        return { data: shown.map((use) => renderUse(use, version)) }
      },
    )

    app.delete(
      '/media/:id',
      {
        config: forWriters,
        schema: {
          tags,
          summary: 'Delete a file',
          description:
            'Removes the file and its bytes. Entries that show it show nothing in its place.',
          params: FileParams,
        },
      },
      async (request, reply) => {
        const { id } = await get(request)
        await media.remove(id)
        reply.code(204)
      },
    )
  }

  async function get(request: FastifyRequest<{ Params: { id: string } }>): Promise<MediaFile> {
    const target = toTarget(request.params.id)
    const file = target && (await media.findShown(levelOf(request), target))
    if (!file) throw notFound('file')
    return file
  }

  async function keepOne(request: FastifyRequest, form: Form): Promise<MediaFile> {
    const uuid = fieldOf(form, 'uuid')
    if (uuid !== undefined && !isUuid(uuid)) {
      throw invalid([{ path: ['uuid'], rule: 'uuid', message: 'uuid must be a UUID' }])
    }
    const info = parseInfo(form, 'uuid')
    const named = uuid === undefined ? info : { ...info, uuid: uuid.toLowerCase() }
    return media.keep(actorOf(request), onlyFile(form), named)
  }
}

function onlyFile({ files }: Form): Received {
  const [file, ...more] = files
  if (file?.field === 'file' && more.length === 0) return file.received
  const message = 'Send one file in the form field `file`'
  throw invalid([{ path: ['file'], rule: 'required', message }])
}

/** `beside` are fields of this form that say something else. */
function parseInfo(form: Form, ...beside: readonly string[]): FileInfo {
  const known = [...INFO_FIELDS, ...beside]
  const unknown = [...form.fields.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const message = `${unknown} is not a field of this form`
    throw invalid([{ path: [unknown], rule: 'unknown_field', message }], 'unknown_field')
  }
  const name = fieldOf(form, 'name')
  const alternativeText = fieldOf(form, 'alternative_text')
  const caption = fieldOf(form, 'caption')
  const folder = fieldOf(form, 'folder')
  if (folder !== undefined && !/^\/.{0,254}$/.test(folder)) {
    const message = 'folder is a path that begins with /, of at most 255 characters'
    throw invalid([{ path: ['folder'], rule: 'invalid', message }])
  }
  return {
    ...(name ? { name } : {}),
    ...(alternativeText === undefined ? {} : { alternativeText }),
    ...(caption === undefined ? {} : { caption }),
    ...(folder === undefined ? {} : { folder }),
  }
}

const INFO_FIELDS = ['name', 'alternative_text', 'caption', 'folder']

function toTarget(text: string): FileTarget | undefined {
  if (isUuid(text)) return { uuid: text.toLowerCase() }
  const id = parseIntegerId(text)
  return id === undefined ? undefined : { id }
}

function levelOf(request: FastifyRequest) {
  return actorOf(request).access
}

function actorOf({ actor }: FastifyRequest): Actor {
  if (!actor) throw new DomainError('unauthenticated', 'api_key_required', 'API key required')
  return actor
}
