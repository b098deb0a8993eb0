import type { MediaFile, Read, Viewer } from '#content'
import { bundleOf, type Resource } from '../catalogue.ts'
import type { JsonApiDeps } from '../deps.ts'
import { unknownResource } from '../errors.ts'
import { parseVersion } from '../query/version.ts'
import { parseFiles, parseShowing, type Showing } from '../query.ts'
import {
  createIncluded,
  renderDocument,
  renderFileResource,
  renderMedia,
  type View,
} from '../render.ts'
import { type Asked, selfOf } from '../request.ts'
import type { UserDirectory } from '../users.ts'

import { pageLinks, viewOf } from './sending.ts'

type Deps = Pick<JsonApiDeps, 'content'> & { readonly directory: UserDirectory }
type FilesResource = Extract<Resource, { kind: 'media' | 'file' | 'user' | 'node_type' }>

/** The media library and the files in it. */
export function createFiles({ content, directory }: Deps) {
  return { list, one, find, render }

  async function list(asked: Asked, resource: FilesResource): Promise<Read> {
    const { query, page, showing } = await parseFiles(asked, resource, directory)
    const [files, total] = await Promise.all([
      content.findFiles(asked.viewer, query),
      content.countFiles(asked.viewer, query),
    ])
    const view = viewOf(asked, showing, new Map())
    const { data, included } = shown(view, showing, resource, files)
    const links = pageLinks(asked, page, total)
    const meta = { count: total }
    return { text: renderDocument({ data: `[${data}]`, included, meta, links }), typeNos: null }
  }

  async function one(asked: Asked, resource: FilesResource, id: string): Promise<Read> {
    parseVersion(asked.parameters)
    const file = await find(asked.viewer, resource, id)
    return { text: render(asked, resource, [file], false), typeNos: null }
  }

  /** Throws when it does not exist for the caller, or is of another bundle. */
  async function find(viewer: Viewer, resource: FilesResource, id: string): Promise<MediaFile> {
    const compare = { kind: 'compare', operator: 'eq', fold: false } as const
    const filter = { ...compare, field: 'uuid', values: [id] }
    const page = { sort: [], start: 0, limit: 1 }
    const [file] = await content.findFiles(viewer, { filter, search: '', ...page })
    if (!file || (resource.kind === 'media' && bundleOf(file) !== resource.media)) {
      throw unknownResource()
    }
    return file
  }

  /** A document of one file or of a list of them. */
  function render(
    asked: Asked,
    resource: FilesResource,
    files: readonly MediaFile[],
    isList: boolean,
  ): string {
    const showing = parseShowing(asked, resource)
    const view = viewOf(asked, showing, new Map())
    const { data, included } = shown(view, showing, resource, files)
    const links = { self: selfOf(asked) }
    return renderDocument({ data: isList ? `[${data}]` : data || 'null', included, links })
  }
}

function shown(
  view: View,
  { include }: Showing,
  { kind }: FilesResource,
  files: readonly MediaFile[],
) {
  const included = createIncluded(view)
  const isMedia = kind === 'media'
  for (const file of files) {
    included.skip(isMedia ? `media--${bundleOf(file).bundle}` : 'file--file', file.uuid)
  }
  if (include && isMedia) for (const file of files) included.ofFile(file, include)
  const data = files.map((file) => (isMedia ? renderMedia : renderFileResource)(file, view))
  return { data: data.join(','), included: include && included.texts }
}
