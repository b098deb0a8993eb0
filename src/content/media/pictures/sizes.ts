/** The smaller pictures of a picture, as clients of the CMS know them. */
import type { MediaFile } from '../../entry.ts'

export interface PictureSize {
  readonly name: 'thumbnail' | 'small' | 'medium' | 'large'
  /** The box it fits into. */
  readonly width: number
  readonly height: number
}

const SIZES: readonly PictureSize[] = [
  { name: 'thumbnail', width: 245, height: 156 },
  { name: 'small', width: 500, height: 500 },
  { name: 'medium', width: 750, height: 750 },
  { name: 'large', width: 1_000, height: 1_000 },
]

/** Drawings (SVG) have every size already, and other kinds are not read. */
const KINDS = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/tiff',
])

/** Those that are smaller than the picture itself. */
export function sizesOf(picture: { readonly width: number; readonly height: number }) {
  return SIZES.filter(({ width, height }) => picture.width > width || picture.height > height)
}

/** Whether the file is a picture that may have smaller ones; unmeasured ones may. */
export function hasFormats({ mime, width, height }: MediaFile): boolean {
  if (!KINDS.has(mime)) return false
  return width === null || height === null || sizesOf({ width, height }).length > 0
}
