import Type from 'typebox'
import type { HttpPlugin } from '#http'
import { renderTime } from '#kernel'
import type { Folders } from './folder-changes.ts'
import { folderPath, isInside } from './folders.ts'
import { MadeRecord } from './schemas.ts'
import type { MediaFolder } from './words.ts'

const tags = ['Media']
const forReaders = { access: 'read' } as const
const forWriters = { access: 'write' } as const
const Params = Type.Object({ id: Type.String() })
/** Steps are names: no `.` and `..`, no control characters. */
const Path = Type.String({
  pattern: '^(?!.*/\\.{1,2}(/|$))/[^\\u0000-\\u001f\\\\]*$',
  maxLength: 255,
})
const FolderBody = Type.Object({ path: Path }, { additionalProperties: false })
const Within = Type.Object({ parent: Type.Optional(Path) })
const Removal = Type.Object({ recursive: Type.Optional(Type.Boolean()) })

/** `/media/folders`, below the path of an API version. */
export function folderRoutes(folders: Folders, base: string): HttpPlugin {
  return async (app) => {
    app.get(
      '/media/folders',
      {
        config: forReaders,
        schema: {
          tags,
          summary: 'List folders',
          description:
            'Folders of the media library by path. With `parent` only those directly inside of it.',
          querystring: Within,
        },
      },
      async ({ query: { parent } }) => {
        const all = await folders.list()
        const within = parent === undefined ? undefined : folderPath(parent)
        const shown = all.filter(
          ({ path }) => within === undefined || isInside(path, { path: within, deep: false }),
        )
        return { data: shown.map(render) }
      },
    )

    app.post(
      '/media/folders',
      {
        config: forWriters,
        schema: {
          tags,
          summary: 'Make a folder',
          description:
            'Makes a folder with the path that is sent. Unlike one that is there because files lie in it, it stays when it is empty.',
          body: FolderBody,
          response: { 201: MadeRecord },
        },
      },
      async ({ body }, reply) => {
        const folder = await folders.create(body.path)
        reply.code(201).header('location', `${base}/folders/${folder.id}`)
        return { data: render(folder) }
      },
    )

    app.get(
      '/media/folders/:id',
      {
        config: forReaders,
        schema: {
          tags,
          summary: 'Read a folder',
          description: 'One folder with its path. Files name it by that path.',
          params: Params,
        },
      },
      async ({ params }) => ({ data: render(await folders.get(params.id)) }),
    )

    app.patch(
      '/media/folders/:id',
      {
        config: forWriters,
        schema: {
          tags,
          summary: 'Move a folder',
          description:
            'Gives a folder another path, with everything inside of it. Folders and files keep their ids, files their URLs.',
          params: Params,
          body: FolderBody,
        },
      },
      async ({ params, body }) => ({ data: render(await folders.move(params.id, body.path)) }),
    )

    app.delete(
      '/media/folders/:id',
      {
        config: forWriters,
        schema: {
          tags,
          summary: 'Delete a folder',
          description:
            'Removes an empty folder. With `recursive` everything inside of it is removed, too.',
          params: Params,
          querystring: Removal,
        },
      },
      async ({ params, query }, reply) => {
        await folders.remove(params.id, query.recursive === true)
        reply.code(204)
      },
    )
  }
}

function render({ id, path, name, createdAtMs, updatedAtMs }: MediaFolder) {
  const times = { created_at: renderTime(createdAtMs), updated_at: renderTime(updatedAtMs) }
  return { id, path, name, ...times }
}
