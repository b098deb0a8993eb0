import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import { isAllowedFile } from '#content'
import type { Media, Received } from '#content-media'
import type { ContentType } from '#content-model'
import type { Tx } from '#db'
import { type Actor, DomainError, type Log } from '#kernel'
import type { Output } from '../definition/definition.ts'
import { type FailedFile, type FileSource, HAS_ENDED } from '../engine/fetch-file.ts'
import type { CollectedItem } from '../engine/page-writes.ts'
import { hashOf } from '../engine/urls.ts'
import { valueAt } from '../extract/values.ts'
import { findFile, type KnownFile, saveFile } from '../store/files.ts'
import type { NewLine } from '../store/log.ts'
import type { ScrapersTables } from '../tables.ts'

interface Deps {
  readonly reader: Kysely<ScrapersTables>
  readonly log: Pick<Log, 'warn'>
  readonly media: Media
  readonly actor: Actor
  readonly scraperId: number
  readonly output: Output
}

/** Attributes with the files they are to have, by URL. */
export type Attached = ReadonlyMap<string, readonly string[]>

/** A file at its URL: as it is stored already, or received and not yet kept. */
interface Ready {
  readonly mime: string
  readonly known: KnownFile | undefined
  readonly received: (Received & Omit<KnownFile, 'fileId' | 'urlHash'>) | undefined
}

const AT_ONCE = 4
const MAX_URL = 2_048

/** Files that items name become media (scrapers contract §6): each URL once, until its server says it changed. */
export function createFiles({ reader, log, media, actor, scraperId, output }: Deps) {
  const { maxFileBytes, maxFiles } = media.limits
  return { prepare }

  /** Fetches what is new, before the transaction of the items begins. */
  async function prepare(
    items: readonly CollectedItem[],
    type: ContentType | undefined,
    source: FileSource,
  ) {
    const lines: NewLine[] = []
    const named = items.map((item) => urlsOf(item, type, (message) => tell(item, message)))
    const ready = new Map<string, Ready | null>()
    const waiting = [...new Set(named.flatMap((each) => [...each.values()].flat()))]
    const askers = new Map(
      items.flatMap((item, index) =>
        [...(named[index]?.values() ?? [])].flat().map((url) => [url, item] as const),
      ),
    )
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
    for (const end of ends) if (end.status === 'rejected') await giveUp(end.reason)
    const attached = items.map((item, index) => accepted(item, named[index] ?? new Map()))
    await discardUnused()
    await store()
    const ids = new Map(
      [...ready].flatMap(([url, file]) => (file?.known ? [[url, file.known.fileId] as const] : [])),
    )
    const hasReceived = () => receivedFiles().length > 0
    return { lines, attached, isNew, hasReceived, keep, idsOf, discard }

    async function work() {
      for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
        ready.set(url, await load(url, source, (message) => tell(askers.get(url), message)))
      }
    }

    function tell(item: CollectedItem | undefined, message: string) {
      if (!item) return
      lines.push({
        ...{ atMs: item.fetchedAtMs, type: 'publish', level: 'warn', url: item.url, message },
      })
    }

    /** What could be had and may be attached; what failed costs its attribute only. */
    function accepted(item: CollectedItem, urls: Attached): Attached {
      return new Map(
        [...urls].flatMap(([name, wanted]) => {
          const attribute = type?.attribute.get(name)
          const found = wanted.filter((url) => {
            const mime = ready.get(url)?.mime
            if (mime === undefined || attribute?.type !== 'media') return false
            if (isAllowedFile(attribute, mime)) return true
            tell(item, `${name}: a file of the type ${mime} is not allowed there`)
            return false
          })
          return found.length > 0 || wanted.length === 0 ? [[name, found] as const] : []
        }),
      )
    }

    async function discardUnused() {
      const used = new Set(attached.flatMap((each) => [...each.values()].flat()))
      for (const [url, file] of ready) {
        if (used.has(url)) continue
        if (file?.received) await media.discard([file.received])
        ready.delete(url)
      }
    }

    async function store() {
      await media.store(receivedFiles()).catch(giveUp)
    }

    /** What was received stays nowhere. */
    async function giveUp(error: unknown): Promise<never> {
      await discard()
      throw error
    }

    function receivedFiles(): Received[] {
      return [...ready.values()].flatMap((file) => file?.received ?? [])
    }

    /** One of the files was not there before, so its attribute has to be written. */
    function isNew(files: Attached): boolean {
      return [...files.values()].flat().some((url) => ready.get(url)?.known === undefined)
    }

    /** In the transaction of the items. */
    async function keep(tx: Tx): Promise<void> {
      for (const [url, file] of ready) {
        if (file?.received) ids.set(url, await keepOne(tx, url, file.known, file.received))
      }
    }

    function idsOf(urls: readonly string[]): number[] {
      return urls.flatMap((url) => ids.get(url) ?? [])
    }

    /** After a transaction that failed. */
    async function discard() {
      await media.discard(receivedFiles())
    }
  }

  /** The URLs of each attribute, as many as it can have. */
  function urlsOf(
    { value, url: base }: CollectedItem,
    type: ContentType | undefined,
    tell: (message: string) => void,
  ): Map<string, readonly string[]> {
    const found = new Map<string, readonly string[]>()
    if (!type) return found
    for (const [name, path] of output.media) {
      const attribute = type.attribute.get(name)
      if (attribute?.type !== 'media') {
        tell(`${name} is no media attribute of ${output.collection}`)
        continue
      }
      const texts = [valueAt(value, path) ?? []].flat()
      const urls = new Set(texts.flatMap((text) => toUrl(text, base)))
      if (urls.size < texts.filter((text) => text !== null).length) {
        tell(`${name}: what is no URL of a file, or there twice, was passed over`)
      }
      const most = attribute.multiple ? maxFiles : 1
      if (urls.size > most && attribute.multiple) tell(`${name}: only ${most} files were taken`)
      found.set(name, [...urls].slice(0, most))
    }
    return found
  }

  /** What cannot be had leaves what there was before; what may pass is asked for again, as pages are. */
  async function load(
    url: string,
    source: FileSource,
    tell: (message: string) => void,
  ): Promise<Ready | null> {
    const known = await findFile(reader, scraperId, hashOf(url))
    const file = known && (await media.find({ id: known.fileId }))
    // Deleted by somebody: it is fetched like one that was never there.
    const old = known && file ? { mime: file.mime, known, received: undefined } : null
    for (let failures = 1; ; failures++) {
      const taken = await take(url, source, old)
      if (taken === null || !('message' in taken)) return taken
      if (taken.mayPass && (await source.pauseAfter(failures))) continue
      tell(`The file ${url} could not be taken over: ${taken.message}`)
      return old
    }
  }

  async function take(
    url: string,
    source: FileSource,
    old: (Ready & { readonly known: KnownFile }) | null,
  ): Promise<Ready | FailedFile | null> {
    const known = old?.known
    const fetched = await source.open(new URL(url), { known, maxBytes: maxFileBytes })
    if (fetched.kind === 'unchanged') return old
    if (fetched.kind === 'failed') return fetched
    const { body, etag, lastModified } = fetched
    const hash = createHash('sha256')
    try {
      const stream = Readable.from(hashed(body, hash), { objectMode: false })
      const received = await media.receive({ name: nameOf(url), stream })
      const digest = hash.digest('base64url')
      const end = body.end ?? 'connection'
      if (end === 'complete' && digest !== known?.digest) {
        const { mime } = received
        return { mime, known, received: { ...received, etag, lastModified, digest } }
      }
      await media.discard([received])
      if (end === 'complete') return old
      return { kind: 'failed', message: ENDS[end], mayPass: end !== 'size' }
    } catch (error) {
      body.cancel()
      // A disk that is full may have room again, as a server that is away may come back.
      const mayPass = error instanceof DomainError && error.kind === 'unavailable'
      return { kind: 'failed', message: reasonOf(error, url), mayPass }
    }
  }

  function reasonOf(error: unknown, url: string): string {
    if (error instanceof DomainError) return error.message
    if (error instanceof Error && 'code' in error && error.code === 'aborted') return HAS_ENDED
    log.warn({ err: error, url }, 'a file was not stored')
    return 'It could not be stored'
  }

  /** Other bytes of a known URL are the same file to whoever uses it. */
  async function keepOne(
    tx: Tx,
    url: string,
    known: KnownFile | undefined,
    received: NonNullable<Ready['received']>,
  ): Promise<number> {
    const { etag, lastModified, digest } = received
    const { id: fileId } =
      (known && (await replace(tx, known.fileId, received))) ??
      (await media.keep(actor, received, {}, tx))
    const urlHash = hashOf(url)
    const file = { urlHash, fileId, etag, lastModified, digest }
    await saveFile(tx.as<ScrapersTables>(), scraperId, file)
    return fileId
  }

  async function replace(tx: Tx, id: number, received: Received) {
    try {
      return await tx.savepoint(() => media.replace(id, received, {}, tx))
    } catch (error) {
      // Deleted a moment ago.
      if (!(error instanceof DomainError) || error.kind !== 'not_found') throw error
      return undefined
    }
  }
}

const ENDS = {
  size: 'It is larger than files may be',
  time: 'It did not come within the time limit',
  connection: 'The connection was closed before it was complete',
}

function toUrl(text: unknown, base: string): string | [] {
  const url = typeof text === 'string' && text !== '' ? URL.parse(text, base) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL) return []
  url.hash = ''
  return url.href
}

function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

async function* hashed(body: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}
