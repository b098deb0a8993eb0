import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Random } from '#kernel'
import { breathe } from '../breathe.ts'
import type { FileBytes } from './bytes/file-bytes.ts'
import { INCOMING } from './bytes/incoming.ts'
import { storedName } from './bytes/names.ts'
import { type Detected, detect } from './detect.ts'
import { createFinishing } from './finishing.ts'
import { diskFull, fileTooLarge } from './refusals.ts'

interface Deps {
  /** `<data>/uploads` */
  readonly directory: string
  readonly bytes: Pick<FileBytes, 'take' | 'remove' | 'doubt' | 'settle' | 'needsSync'>
  isKept(hash: string): Promise<boolean>
  readonly random: Random
  readonly maxBytes: number
}

export interface Upload {
  readonly name: string
  readonly stream: NodeJS.ReadableStream
}

/** Bytes that no row knows yet: store and keep them, or discard them. */
export interface Received extends Detected {
  readonly name: string
  readonly hash: string
  readonly sizeBytes: number
}

const HASH_LENGTH = 32
/** Others do not wait until a longer one is stored. */
const SHORT_BYTES = 2 * 1024 * 1024
const MAX_NAME_LENGTH = 255

/**
 * Streams uploads to disk. They lie among what is incoming, which no process that is killed leaves for good, until
 * everything that was sent with them has come; then `store` puts each under its final name, whole.
 */
export function createReceiver({ directory, bytes, random, maxBytes, isKept }: Deps) {
  const finish = createFinishing()
  return { receive, store, discard }

  async function receive({ name, stream }: Upload): Promise<Received> {
    const hash = random.text(HASH_LENGTH)
    const incoming = incomingOf({ hash })
    try {
      await mkdir(join(directory, INCOMING), { recursive: true })
      const sizeBytes = await write(stream, incoming)
      const detected = await finish(() => detect(incoming, extname(name)))
      return { ...detected, name: toName(name, detected.ext), hash, sizeBytes }
    } catch (error) {
      await rm(incoming, { force: true })
      throw told(error)
    }
  }

  async function store(file: Received): Promise<void> {
    const name = storedName(file)
    const take = () => bytes.take(incomingOf(file), name)
    try {
      // Even a name and an empty file take room.
      await bytes.doubt([name])
      await (file.sizeBytes <= SHORT_BYTES ? finish(take) : take())
    } catch (error) {
      throw told(error)
    }
  }

  async function write(stream: NodeJS.ReadableStream, file: string): Promise<number> {
    let size = 0
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length
        breathe().then(() => done(size > maxBytes ? fileTooLarge(maxBytes) : null, chunk))
      },
    })
    await pipeline(stream, count, createWriteStream(file, { flush: bytes.needsSync }))
    return size
  }

  async function discard(file: Pick<Received, 'hash' | 'ext'>): Promise<void> {
    await rm(incomingOf(file), { force: true })
    // Its commit may have been carried out without an answer.
    if (await isKept(file.hash)) await bytes.settle([storedName(file)])
    else await bytes.remove([storedName(file)])
  }

  function incomingOf({ hash }: Pick<Received, 'hash'>): string {
    return join(directory, INCOMING, hash)
  }
}

/** A full disk is one that may have room again, wherever it shows. */
function told(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT' ? diskFull(error) : error
}

/** The last step of whatever path the client sent, without what a header or a page could trip over. */
function toName(given: string, ext: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have no place in a name
  const clean = last.replaceAll(/[\u0000-\u001f\u007f]/g, '').trim()
  // A pair of surrogates may be cut in two.
  return clean.slice(0, MAX_NAME_LENGTH).toWellFormed() || `file${ext}`
}
