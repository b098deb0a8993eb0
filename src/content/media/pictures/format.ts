import type { MediaFile, PictureFormat } from '../../entry.ts'
import { toKilobytes } from '../kilobytes.ts'
import type { MadePicture } from './order.ts'

/** A smaller picture as clients of the CMS know it. */
export function toFormat(
  { name, hash }: Pick<MediaFile, 'name' | 'hash'>,
  { size, width, height, bytes }: MadePicture,
): PictureFormat {
  const own = `${size}_${hash}`
  return {
    name: `${size}_${name}`,
    hash: own,
    ext: '.webp',
    mime: 'image/webp',
    path: null,
    width,
    height,
    size: toKilobytes(bytes),
    sizeInBytes: bytes,
    url: `/uploads/${own}.webp`,
  }
}
