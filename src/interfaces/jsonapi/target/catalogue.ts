import type { ContentModel, ContentType, MediaFile } from '#content'
import { memoizeOf } from '#kernel'
import { type Names, namesOf } from './names.ts'

/** A kind of media; every stored file is one of them. */
export interface MediaBundle {
  readonly bundle: 'image' | 'video' | 'audio' | 'document'
  /** Of the content type of its files; '' for all that have no other bundle. */
  readonly mime: string
  /** The relationship to the file itself. */
  readonly fileField: string
}

export const MEDIA_BUNDLES: readonly MediaBundle[] = [
  { bundle: 'image', mime: 'image/', fileField: 'field_media_image' },
  { bundle: 'video', mime: 'video/', fileField: 'field_media_video_file' },
  { bundle: 'audio', mime: 'audio/', fileField: 'field_media_audio_file' },
]
export const DOCUMENT: MediaBundle = {
  ...{ bundle: 'document', mime: '', fileField: 'field_media_document' },
}
const ALL_BUNDLES = [...MEDIA_BUNDLES, DOCUMENT]

/** A resource type (contract §1). */
export type Resource =
  | {
      readonly kind: 'entry'
      readonly name: string
      readonly path: string
      readonly type: ContentType
      readonly names: Names
    }
  | {
      readonly kind: 'media'
      readonly name: string
      readonly path: string
      readonly media: MediaBundle
    }
  | {
      readonly kind: 'file' | 'user' | 'node_type'
      readonly name: string
      readonly path: string
    }

export type EntryResource = Extract<Resource, { kind: 'entry' }>

/** Every resource type of one model. */
export interface Catalogue {
  readonly model: ContentModel
  readonly all: readonly Resource[]
  /** By `node--article`. */
  find(name: string): Resource | undefined
  namesOf(type: ContentType): Names
  ofType(type: ContentType): EntryResource
}

/** Made once for each model, which never changes. */
export const catalogueOf = memoizeOf(createCatalogue)

const FIXED: readonly Resource[] = [
  ...ALL_BUNDLES.map((media) => ({
    kind: 'media' as const,
    name: `media--${media.bundle}`,
    path: `/media/${media.bundle}`,
    media,
  })),
  { kind: 'file', name: 'file--file', path: '/file/file' },
  { kind: 'user', name: 'user--user', path: '/user/user' },
  { kind: 'node_type', name: 'node_type--node_type', path: '/node_type/node_type' },
]

function createCatalogue(model: ContentModel): Catalogue {
  const entries = model.types.map((type) => toEntryResource(type))
  const byNo = new Map(entries.map((resource) => [resource.type.no, resource]))
  const all: Resource[] = [...entries, ...FIXED]
  const byName = new Map(all.map((resource) => [resource.name, resource]))
  return {
    model,
    all,
    find: (name) => byName.get(name),
    namesOf: (type) => ofType(type).names,
    ofType,
  }

  /** An answer may hold entries of a model that came since. */
  function ofType(type: ContentType): EntryResource {
    return byNo.get(type.no) ?? toEntryResource(type)
  }
}

function toEntryResource(type: ContentType): EntryResource {
  const names = namesOf(type)
  return { kind: 'entry', name: names.name, path: names.path, type, names }
}

export function bundleOf({ mime }: Pick<MediaFile, 'mime'>): MediaBundle {
  return MEDIA_BUNDLES.find((media) => mime.startsWith(media.mime)) ?? DOCUMENT
}
