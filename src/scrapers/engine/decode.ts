import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzip,
  inflate,
  inflateRaw,
  zstdDecompress,
} from 'node:zlib'

import { clean } from '../extract/values.ts'

const MAX_SNIFFED = 4_096
const CODINGS = new Map<string, (body: Buffer, max: number) => Promise<Buffer>>([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  ['deflate', unpackDeflate],
  ['br', (body, max) => promisify(brotliDecompress)(body, { maxOutputLength: max })],
  ['zstd', (body, max) => promisify(zstdDecompress)(body, { maxOutputLength: max })],
])

const STREAMS = new Map<string, (body: Buffer) => NodeJS.ReadWriteStream>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', (body) => (hasZlibHeader(body) ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
])

export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

export class BodyTooLarge extends Error {}

/** The beginning of a page must not be taken for the page: what was stored of it would be overwritten. */
export class BodyCut extends Error {}

/** The bytes as they were before their content coding; at most `max` of them. */
export async function unpack(
  body: Buffer,
  coding: string | undefined,
  max: number,
): Promise<Buffer> {
  if (body.length === 0) return body
  const codings = (coding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  let unpacked = body
  for (const name of codings.reverse()) {
    const decode = CODINGS.get(name)
    if (!decode) throw new Error(`the content coding ${name.slice(0, 20)} is not known`)
    unpacked = await decode(unpacked, max).catch(rethrow)
  }
  if (unpacked.length > max) throw new BodyTooLarge()
  return unpacked
}

/** What can be had of the first `max` bytes, of a body that is too long or was cut off. */
export async function unpackStart(
  body: Buffer,
  coding: string | undefined,
  max: number,
): Promise<Buffer> {
  const create = STREAMS.get((coding ?? '').trim().toLowerCase())
  if (!create) return body
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of Readable.from([body]).pipe(create(body))) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size >= max) break
    }
  } catch {
    // What came before the fault is all there is.
  }
  return size > 0 ? Buffer.concat(chunks) : body
}

function ungzip(body: Buffer, max: number): Promise<Buffer> {
  return promisify(gunzip)(body, { maxOutputLength: max })
}

/** With the header of zlib, or without as some servers send it. */
async function unpackDeflate(body: Buffer, max: number): Promise<Buffer> {
  return promisify(hasZlibHeader(body) ? inflate : inflateRaw)(body, { maxOutputLength: max })
}

function hasZlibHeader(body: Buffer): boolean {
  return body.length > 1 && ((body[0] ?? 0) & 0x0f) === 8
}

function rethrow(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLarge()
  throw code === 'Z_BUF_ERROR' ? new BodyCut() : error
}

/**
 * The text of a body: by its mark, its header, what it says of itself, then UTF-8, at last
 * windows-1252, which every sequence of bytes is. What no store can keep is replaced.
 */
export function decodeText(body: Buffer, contentType: string | undefined): string {
  // A charset that nobody knows says nothing; the next one that is named counts.
  const labels = [markOf(body), charsetOf(contentType), declaredCharset(body, contentType)]
  for (const label of labels) {
    const text = decodeAs(body, label)
    if (text !== undefined) return clean(text)
  }
  return clean(decodeUtf8(body) ?? decodeAs(body, 'windows-1252') ?? '')
}

function decodeAs(body: Buffer, label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).decode(body)
  } catch {
    return undefined
  }
}

function decodeUtf8(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return undefined
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1]
}

const JSON_TYPE = /^[^;]*[/+]json\s*(?:;|$)/i
const META = /<meta\s[^>]*?charset\s*=\s*["']?\s*([a-z0-9_:-]+)/i
const XML = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([a-z0-9_:-]+)/i

/**
 * A document that was read as ASCII so far cannot be in UTF-16, whatever it says. JSON says nothing of itself: markup in it is
 * that of another document.
 */
function declaredCharset(body: Buffer, contentType: string | undefined): string | undefined {
  if (JSON_TYPE.test(contentType ?? '')) return undefined
  const head = body.subarray(0, MAX_SNIFFED).toString('latin1')
  const label = XML.exec(head)?.[1] ?? META.exec(head)?.[1]
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label
}
