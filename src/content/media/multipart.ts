import { Readable } from 'node:stream'
import fastifyMultipart, { type Multipart, type MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { type HttpApp, unsupportedMediaType } from '#http'
import { type DomainError, invalid } from '#kernel'
import { isStorableText } from '../fields/support/text.ts'
import type { Media } from './media.ts'
import type { Received } from './receive.ts'
import { formTooLarge } from './refusals.ts'

const MAX_FIELDS = 100
const MAX_FIELD_BYTES = 1024 * 1024

export interface Form {
  /** Texts by name; one that was sent several times has them in this order. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly files: readonly { readonly field: string; readonly received: Received }[]
}

/** Lets one scope accept forms with files. */
export async function useForms(app: HttpApp, { limits }: Pick<Media, 'limits'>): Promise<void> {
  await app.register(fastifyMultipart, {
    limits: {
      files: limits.maxFiles,
      // One more than allowed: the receiver refuses with our own words.
      fileSize: limits.maxFileBytes + 1,
      fields: MAX_FIELDS,
      fieldSize: MAX_FIELD_BYTES,
      parts: MAX_FIELDS + limits.maxFiles,
    },
    throwFileSizeLimit: false,
  })
}

/**
 * Reads the whole form; files are on disk afterwards, known to nobody. When `use` fails, or the form
 * itself, they are discarded: nothing is stored by a request that was refused.
 */
export async function withForm<T>(
  request: FastifyRequest,
  media: Media,
  use: (form: Form) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart()) throw unsupportedMediaType(['multipart/form-data'])
  const fields = new Map<string, string[]>()
  const files: { field: string; received: Received }[] = []
  try {
    for await (const part of partsOf(request, media)) await take(part)
    await media.store(files.map(({ received }) => received))
    return await use({ fields, files })
  } catch (error) {
    await media.discard(files.map(({ received }) => received))
    throw error
  }

  async function take(part: Multipart) {
    // RFC 7578 §4.2; the parser hands it on all the same.
    if (typeof part.fieldname !== 'string') throw unreadable('each of its parts needs a name')
    if (part.type === 'field') {
      if (part.valueTruncated) throw formTooLarge('A field of a form may have at most 1 MiB')
      const texts = fields.get(part.fieldname) ?? []
      fields.set(part.fieldname, [...texts, storable(part.fieldname, toText(part.value))])
      return
    }
    const stream = Readable.from(bytesOf(part, media))
    // The parser leaves an empty one out, whatever its types say.
    const { filename: name = '' }: Partial<MultipartFile> = part
    const received = await media.receive({ name, stream })
    // What a browser sends for a file input in which nothing was chosen.
    if (name === '' && received.sizeBytes === 0) await media.discard([received])
    else files.push({ field: part.fieldname, received })
  }
}

/** The one text of this name; of two, one would be lost without a word. */
export function fieldOf({ fields }: Pick<Form, 'fields'>, name: string): string | undefined {
  const [text, ...others] = fields.get(name) ?? []
  if (others.length === 0) return text
  throw invalid([{ path: [name], rule: 'form', message: `${name} must be sent once` }])
}

/** Every error of the parser is one of the form: cut off, without boundary, beyond a limit. */
async function* partsOf(request: FastifyRequest, media: Media): AsyncGenerator<Multipart> {
  try {
    yield* request.parts()
  } catch (error) {
    throw toRefusal(error, media)
  }
}

/** A form that ends in the middle of a file is no failure of the disk. */
async function* bytesOf({ file }: MultipartFile, media: Media): AsyncGenerator<Buffer> {
  try {
    yield* file
  } catch (error) {
    throw toRefusal(error, media)
  }
}

/** The form parser has words of its own for what exceeds its limits. */
function toRefusal(error: unknown, { limits }: Media): DomainError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_FILES_LIMIT') {
    return formTooLarge(`At most ${limits.maxFiles} files can be sent in one request`)
  }
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return formTooLarge('The form has too many parts')
  }
  return unreadable('it is cut off, or not as its boundary says')
}

function unreadable(why: string): DomainError {
  const message = `The form cannot be read: ${why}`
  return invalid([{ path: ['body'], rule: 'form', message }])
}

/** The same that a body of JSON is refused for: not every database stores it. */
function storable(field: string, text: string): string {
  if (isStorableText(field) && isStorableText(text)) return text
  const message = 'text must not contain U+0000 or an unpaired surrogate'
  throw invalid([{ path: [field.toWellFormed().replaceAll('\u0000', '')], rule: 'text', message }])
}

/** A field that says it is JSON has been parsed already. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
