import type { MediaFile, Read, Viewer } from '#content'
import { compare, entryTag } from '#content-dialect'
import { firstPage } from '#content-query'
import type { JsonApiDeps } from '../deps.ts'
import { unknownResource, unknownRevision } from '../errors.ts'
import { parseVersion } from '../query/parameters.ts'
import {
  type ParsedFiles,
  parseFiles,
  parseShowing,
  questionOf,
  type Showing,
} from '../query/parse.ts'
import { createIncluded, pageLinks, viewOf } from '../render/document.ts'
import { renderFileResource, renderMedia } from '../render/files.ts'
import { renderDocument, type View } from '../render/view.ts'
import { type Asked, selfOf } from '../request.ts'
import { bundleOf, type Resource } from '../target/catalogue.ts'
import type { UserDirectory } from './users.ts'

type Deps = Pick<JsonApiDeps, 'content'> & { readonly directory: UserDirectory }
type FilesResource = Exclude<Resource, { kind: 'entry' }>

/** The media library and the files in it. */
export function createFiles({ content, directory }: Deps) {
  const prepareList = content.fileTemplates<ParsedFiles>()
  const prepareOne = content.fileTemplates()
  return { list, one, get, find, render }

  async function list(asked: Asked, resource: FilesResource): Promise<Read> {
    const kind = resource.kind === 'media' ? resource.name : resource.kind
    const question = await questionOf(asked, kind, directory, (own) => parseFiles(own, resource))
    const prepared = prepareList(asked.viewer, question)
    const { showing } = prepared.read
    const page = prepared.read.page.of(prepared.values)
    const { files, total } = await content.readFiles(prepared)
    const view = viewOf(asked, showing, new Map())
    const { data, included } = shownFiles(view, showing, resource.kind, files)
    const count = total ?? 0
    const links = pageLinks(asked, page, count)
    const meta = { count }
    return { text: renderDocument({ data: `[${data}]`, included, meta, links }), typeNos: null }
  }

  async function one(asked: Asked, resource: FilesResource, id: string): Promise<Read> {
    const file = await get(asked, resource, id)
    const text = render(asked, resource, [file], false)
    return { text, typeNos: null, headers: { etag: fileTag(file, text) } }
  }

  /** In the version that is asked for: a file has one, which its item names by its own id. */
  async function get(asked: Asked, resource: FilesResource, id: string): Promise<MediaFile> {
    const version = parseVersion(asked.parameters)
    const file = await find(asked.viewer, resource, id)
    if (version?.kind === 'revision' && version.id !== file.id) throw unknownRevision()
    return file
  }

  /** Throws when it does not exist for the caller, or is of another bundle. */
  async function find(viewer: Viewer, resource: FilesResource, id: string): Promise<MediaFile> {
    const prepared = prepareOne(viewer, {
      ...{ model: content.model(), template: 'uuid', values: [id] },
      read: ({ text }) => ({
        query: {
          filter: compare('uuid', 'eq', text(0)),
          ...{ search: '', sort: [], page: firstPage(1) },
        },
      }),
    })
    const [file] = (await content.readFiles(prepared)).files
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
    const { data, included } = shownFiles(view, showing, resource.kind, files)
    const links = { self: selfOf(asked) }
    return renderDocument({ data: isList ? `[${data}]` : data || 'null', included, links })
  }
}

/** Of a file the time of its last change is what the version is of an entry. */
export function versionOf({ id, updatedAtMs }: MediaFile) {
  return { id, version: updatedAtMs }
}

export function fileTag(file: MediaFile, body: string): string {
  return entryTag(versionOf(file), body)
}

/** Files, or the items of the library that they are. */
export function shownFiles(
  view: View,
  { include }: Showing,
  kind: FilesResource['kind'],
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
