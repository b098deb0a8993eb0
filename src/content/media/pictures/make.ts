import type { Metadata, Sharp } from 'sharp'
import type { MadePicture, MadePictures, PictureOrder } from './order.ts'
import { type PictureSize, sizesOf } from './sizes.ts'

/** Decoders that files may reach, whatever their bytes claim to be. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff']
const MOVING = ['gif', 'webp']

/** Fails where the package has no program for the machine. */
export async function createMaker(): Promise<(order: PictureOrder) => Promise<MadePictures>> {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}File`) })
  return make

  async function make(order: PictureOrder): Promise<MadePictures> {
    const { path, maxPixels } = order
    const about = await sharp(path).metadata()
    const { width, height } = about.autoOrient
    const isMoving = (about.pages ?? 1) > 1 && MOVING.includes(about.format)
    const pixels = width * height * (isMoving ? (about.pages ?? 1) : 1)
    if (pixels > maxPixels) throw new Error(`it has ${pixels} pixels, more than ${maxPixels}`)
    const sizes = sizesOf({ width, height })
    const largest = sizes.at(-1)
    if (!largest) return { width, height, pictures: [] }
    const source = isMoving ? () => moving(order) : await still(order, largest)
    const pictures: MadePicture[] = []
    for (const size of sizes) pictures.push(await save(order, source(), size, about))
    return { width, height, pictures }
  }

  /** Every frame: a moving picture that stands still would be another one. */
  function moving({ path, maxPixels }: PictureOrder): Sharp {
    return sharp(path, { animated: true, limitInputPixels: maxPixels })
  }

  /** Read once, at the largest of the sizes; the others are made from that. */
  async function still({ path, maxPixels }: PictureOrder, largest: PictureSize) {
    const { data, info } = await inside(sharp(path, { limitInputPixels: maxPixels }), largest)
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    return () => sharp(data, { raw: { width, height, channels } })
  }
}

async function save(
  { into }: PictureOrder,
  source: Sharp,
  size: PictureSize,
  { pages = 1 }: Metadata,
): Promise<MadePicture> {
  const path = `${into}${size.name}`
  const made = await inside(source, size).webp().toFile(path)
  // Frames of a moving picture lie below each other.
  const height = made.pageHeight ?? (made.height > size.height ? made.height / pages : made.height)
  return { size: size.name, path, width: made.width, height, bytes: made.size }
}

function inside(source: Sharp, { width, height }: PictureSize): Sharp {
  return source.autoOrient().resize({ width, height, fit: 'inside', withoutEnlargement: true })
}
