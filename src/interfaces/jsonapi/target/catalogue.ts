import type { MediaFile } from '#content'
import type { Attribute, ContentModel, ContentType } from '#content-model'
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

const MEDIA_BUNDLES: readonly MediaBundle[] = [
  { bundle: 'image', mime: 'image/', fileField: 'field_media_image' },
  { bundle: 'video', mime: 'video/', fileField: 'field_media_video_file' },
  { bundle: 'audio', mime: 'audio/', fileField: 'field_media_audio_file' },
]
const DOCUMENT: MediaBundle = {
  ...{ bundle: 'document', mime: '', fileField: 'field_media_document' },
}
const ALL_BUNDLES = [...MEDIA_BUNDLES, DOCUMENT]
export const FILE_FIELDS = ALL_BUNDLES.map(({ fileField }) => fileField)
/** Of files that are no documents. */
export const OTHER_MIMES = MEDIA_BUNDLES.map(({ mime }) => mime)

interface Addressed {
  /** `node--article` */
  readonly name: string
  /** `/node/article` */
  readonly path: string
}

/** A resource type (contract §1). */
export type Resource = Addressed &
  (
    | { readonly kind: 'entry'; readonly type: ContentType; readonly names: Names }
    | { readonly kind: 'media'; readonly media: MediaBundle }
    | { readonly kind: 'file' | 'user' | 'node_type' }
  )

export type EntryResource = Extract<Resource, { kind: 'entry' }>

/** Every resource type of one model. */
export interface Catalogue {
  readonly model: ContentModel
  readonly all: readonly Resource[]
  /** By `node--article`. */
  find(name: string): Resource | undefined
  namesOf(type: ContentType): Names
  ofType(type: ContentType): EntryResource
  /** What an attribute leads to; media may be of any bundle. */
  behind(attribute: Attribute | undefined): EntryResource | 'media' | undefined
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
    behind,
  }

  /** An answer may hold entries of a model that came since. */
  function ofType(type: ContentType): EntryResource {
    return byNo.get(type.no) ?? toEntryResource(type)
  }

  function behind(attribute: Attribute | undefined): EntryResource | 'media' | undefined {
    if (attribute?.type === 'media') return 'media'
    const type = attribute?.type === 'relation' ? model.findType(attribute.target) : undefined
    return type && ofType(type)
  }
}

function toEntryResource(type: ContentType): EntryResource {
  const names = namesOf(type)
  return { kind: 'entry', name: names.name, path: names.path, type, names }
}

export function bundleOf({ mime }: Pick<MediaFile, 'mime'>): MediaBundle {
  return MEDIA_BUNDLES.find((media) => mime.startsWith(media.mime)) ?? DOCUMENT
}
