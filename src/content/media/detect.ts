import { open } from 'node:fs/promises'

export interface Detected {
  readonly mime: string
  /** With its dot. */
  readonly ext: string
  readonly width: number | null
  readonly height: number | null
}

/** Enough for every signature that matters, also behind the headers of archives. */
const HEAD_BYTES = 64 * 1024

const MEASURED = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
])

/** Of most of them what was read already tells the size: reading more costs memory for every upload. */
const MEASURED_AT_HEAD = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Text has no signature: a claimed ending is believed when it stands for harmless text. */
const TEXT_ENDINGS: ReadonlyMap<string, string> = new Map([
  ['.txt', 'text/plain'],
  ['.md', 'text/markdown'],
  ['.csv', 'text/csv'],
  ['.json', 'application/json'],
  ['.vtt', 'text/vtt'],
  ['.srt', 'application/x-subrip'],
  ['.ics', 'text/calendar'],
])

const HTML = /^<(!doctype html|html|head|body|script|style|title|iframe|meta|link|div|p|a|h1)\b/i

/** What the bytes are, whatever the client said of them (content model §5). */
export async function detect(file: string, claimedExt: string): Promise<Detected> {
  const head = await readHead(file)
  const type = await typeOf(head, claimedExt)
  return { ...type, ...(await measure(file, head, type.mime)) }
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEAD_BYTES) })
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function typeOf(head: Buffer, claimedExt: string) {
  // Loaded with the first file: a server that stores none needs no signatures.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found && found.mime !== 'application/xml') return { mime: found.mime, ext: `.${found.ext}` }
  return typeOfText(head, claimedExt) ?? { mime: 'application/octet-stream', ext: '.bin' }
}

function typeOfText(head: Buffer, claimedExt: string) {
  const text = decode(head)
  if (text === undefined) return undefined
  const start = withoutProlog(text)
  if (/^<svg[\s>]/i.test(start)) return { mime: 'image/svg+xml', ext: '.svg' }
  if (HTML.test(start)) return { mime: 'text/html', ext: '.html' }
  if (start.startsWith('<')) return { mime: 'application/xml', ext: '.xml' }
  const ext = claimedExt.toLowerCase()
  const mime = TEXT_ENDINGS.get(ext)
  return mime === undefined ? { mime: 'text/plain', ext: '.txt' } : { mime, ext }
}

/** Undefined when it is no text: not UTF-8, or with control characters. */
function decode(head: Buffer): string | undefined {
  // A character may be cut at the end of what was read.
  const text = new TextDecoder().decode(head, { stream: true })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells text from data
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? undefined : text
}

/** What stands before the first element: byte order mark, XML declaration, comments, doctype of SVG. */
function withoutProlog(text: string): string {
  let rest = text.trimStart()
  for (;;) {
    const prolog = /^(<\?[^>]*\?>|<!--.*?-->|<!doctype svg[^>]*>)\s*/is.exec(rest)
    if (!prolog) return rest
    rest = rest.slice(prolog[0].length)
  }
}

async function measure(file: string, head: Buffer, mime: string) {
  if (!MEASURED.has(mime)) return { width: null, height: null }
  try {
    // Of a short one all is read soon, and whether it is whole is seen only then.
    const isLong = head.length === HEAD_BYTES && MEASURED_AT_HEAD.has(mime)
    const { width, height } = (isLong && (await sizeIn(head))) || (await sizeOf(file))
    return { width: Math.round(width), height: Math.round(height) }
  } catch {
    // A damaged picture is still a file somebody wants to keep.
    return { width: null, height: null }
  }
}

async function sizeIn(head: Buffer) {
  const { imageSize } = await import('image-size')
  try {
    return imageSize(head)
  } catch {
    // What stands before the size is longer, as a large preview within the picture is.
    return undefined
  }
}

async function sizeOf(file: string) {
  const { imageSizeFromFile } = await import('image-size/fromFile')
  return imageSizeFromFile(file)
}
