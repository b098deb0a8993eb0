import type { Kysely } from 'kysely'
import type { Content, Entries, Entry, EntryInput } from '#content'
import type { Media } from '#content-media'
import type { ContentType } from '#content-model'
import { againAfterDeadlock, carryOutIn, type Database, type Tx } from '#db'
import { type Actor, type Clock, DomainError, isObject, type Log, renderTime } from '#kernel'
import type { Output } from '../definition/definition.ts'
import { type PublishingRun, RunLost } from '../engine/commit.ts'
import type { FileSource } from '../engine/fetch-file.ts'
import type { CollectedItem } from '../engine/page-writes.ts'
import { hashOf } from '../engine/urls.ts'
import { type Json, valueAt } from '../extract/values.ts'
import type { PublishedEntry, Run, Scraper } from '../records.ts'
import {
  findKnown,
  findUnseen,
  type KnownEntry,
  markGone,
  saveKnown,
  seenSteps,
} from '../store/entries.ts'
import { lineSteps, type NewLine } from '../store/log.ts'
import { findUnread } from '../store/pages.ts'
import type { ScrapersTables } from '../tables.ts'
import { designType } from './design-type.ts'
import { type Attached, createFiles } from './files.ts'

interface Deps {
  readonly db: Database
  readonly content: {
    model: Content['model']
    readonly entries: Entries
    findOne: Content['findOne']
    createType(body: ReturnType<typeof designType>): Promise<void>
    readonly media: Media
  }
  readonly log: Pick<Log, 'warn'>
  readonly clock: Pick<Clock, 'now'>
  readonly scraper: Pick<Scraper, 'id' | 'userId' | 'consumerId'>
  readonly run: Pick<Run, 'id'>
  readonly output: Output
}

/** What an item becomes, decided before it is written. */
interface Wanted {
  readonly externalId: string
  readonly values: Readonly<Record<string, unknown>>
  readonly valuesHash: string
  readonly known: KnownEntry | undefined
  /** Attributes a person changed since the scraper's last write. */
  readonly edited: readonly string[]
  readonly attached: Attached
  /** Of those some have never been attached. */
  readonly hasNewFiles: boolean
}

const KEY = 'externalId'
const AT_ONCE = 20
/** Both databases limit the length of an index entry; longer keys are named by their hash. */
const MAX_EXTERNAL_ID = 255

/** Items become entries of a collection (scrapers contract §6), in the transaction of their page. */
export function createPublisher({ db, log, clock, content, scraper, run, output }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  const writer: Kysely<ScrapersTables> = db.main.writer
  const actor: Actor = {
    ...{ userId: scraper.userId, consumerId: scraper.consumerId, access: 'write' },
    ...{ apiKeyId: null, planId: null, kind: 'system' },
  }
  const { media } = content
  const files = createFiles({ reader, log, media, actor, output, scraperId: scraper.id })
  return { prepare, settleMissing }

  /** Reads what must be known, fetches files; makes the type where that is wanted and missing. */
  async function prepare(items: readonly CollectedItem[], source: FileSource) {
    const { type, refusal } = await typeFor(items)
    const keys = items.map((item) => keyOf(item, output))
    const known = await findKnown(reader, scraper.id, keys.map(hashOf))
    const taken = await files.prepare(items, type, source)
    const wanted = await Promise.all(
      items.map((item, index) => {
        const attached: Attached = taken.attached[index] ?? new Map()
        const own = { attached, hasNewFiles: taken.isNew(attached) }
        return toWanted(item, keys[index] ?? item.url, known, type, own)
      }),
    ).catch(async (error: unknown) => {
      await taken.discard()
      throw error
    })
    const lastOf = new Map(keys.map((key, at) => [key, at] as const))
    const replacedBy = (at: number) => lastOf.get(keys[at] ?? '') ?? at
    const hashesOf = new Map(keys.map((key) => [key, new Set<string>()] as const))
    for (const [at, { valuesHash }] of wanted.entries()) {
      hashesOf.get(keys[at] ?? '')?.add(valuesHash)
    }
    const doubles = items.flatMap((item, at) => doubleOf(item, at) ?? [])
    const lines: NewLine[] = [...taken.lines, ...doubles]
    const entries = wanted.map((want) => (isUnchanged(want) ? entryOf(want.known) : null))
    // What is refused this time was seen, too.
    const seen = [...known.keys()]
    return { publish, discard: taken.discard }

    /** One plan where it can be: in a transaction of several exchanges all other writers wait for this thread. */
    async function publish({ stepsWith, undisturbed }: PublishingRun): Promise<void> {
      const last = [...wanted.keys()].filter((at) => replacedBy(at) === at)
      const changed = last.filter((at) => !isUnchanged(wanted[at]))
      const [only] = changed
      if (changed.length > 1 || taken.hasReceived() || isToReturn(type, wanted[only ?? 0])) {
        await undisturbed(() =>
          againAfterDeadlock(db.dialect, () => {
            lines.splice(taken.lines.length + doubles.length)
            return db.main.transaction(undefined, publishAll)
          }),
        )
      } else if (only === undefined || !(await publishOne(only))) {
        await db.main.write(async (tx) => {
          await finish(tx)
          return () => {}
        })
      }

      async function publishAll(tx: Tx) {
        await taken.keep(tx)
        for (const at of changed) {
          await orTell(at, (own) => tx.savepoint(() => upsert(own, at, { tx })))
        }
        await finish(tx)
      }

      function publishOne(at: number): Promise<boolean> {
        return orTell(at, (own) => upsert(own, at, { alongside: finish }))
      }

      async function finish(tx: Tx) {
        const steps = seenSteps(writer, scraper.id, run.id, seen)
        const own = stepsWith({
          entries: entries.map((_, at) => entries[replacedBy(at)] ?? null),
          lines,
        })
        if (!(await carryOutIn(tx, [...own, ...steps]))) throw new RunLost()
      }
    }

    /** Two items of a run may be one entry, but not unnoticed: the former of them is lost there. */
    function doubleOf(item: CollectedItem, at: number): NewLine | undefined {
      const own = wanted[at]
      const isBefore = own?.known?.runId === run.id && own.known.valuesHash !== own.valuesHash
      // Of each key the last one tells of all others.
      const isBeside = (hashesOf.get(keys[at] ?? '')?.size ?? 0) > 1
      if (replacedBy(at) !== at || (!isBefore && !isBeside)) return undefined
      const message = `Overwrote the entry of another item of this run that has the same key (${keys[at]}); give output.key a field in which items differ`
      const { url, fetchedAtMs: atMs } = item
      return { atMs, type: 'publish', url, level: 'warn', message }
    }

    /** False when the content store refuses the item, which then stays a result only. */
    async function orTell(at: number, work: (own: ContentType) => Promise<void>): Promise<boolean> {
      try {
        if (type) await work(type)
        else tell(at, 'error', `There is no collection ${output.collection}${refusal}`)
        return type !== undefined
      } catch (error) {
        if (!isRefusal(error)) throw error
        entries[at] = null
        tell(at, 'error', `Not published: ${reasonOf(error)}`)
        return false
      }
    }

    function tell(at: number, level: NewLine['level'], message: string) {
      const item = items[at]
      if (item) {
        lines.push({ atMs: item.fetchedAtMs, type: 'publish', url: item.url, level, message })
      }
    }

    async function upsert(
      own: ContentType,
      at: number,
      { tx, alongside }: { tx?: Tx; alongside?: (tx: Tx) => Promise<void> },
    ): Promise<void> {
      const [item, bare] = [items[at], wanted[at]]
      if (!item || !bare) return
      const want = withFiles(bare)
      if (want.edited.length > 0) {
        tell(at, 'warn', `Kept what people changed: ${want.edited.join(', ')}`)
      }
      await content.entries.upsert(actor, own, KEY, toInput(item, want), {
        ...{ tx, status: output.publish ? 'published' : 'draft' },
        async alongside(inner, { id, documentId, entry }) {
          const published = { type: own.singularName, documentId, id }
          entries[at] = published
          const known = toKnown(item, want, entry())
          await saveKnown(inner.as<ScrapersTables>(), scraper.id, { ...published, ...known })
          await alongside?.(inner)
        },
      })
      const id = entries[at]?.id
      if (id !== undefined && isToReturn(own, want)) {
        await content.entries.publish(actor, own, { id }, { tx })
      }
    }

    function withFiles(want: Wanted): Wanted {
      const ids = [...want.attached].map(([name, urls]) => [name, taken.idsOf(urls)] as const)
      return { ...want, values: { ...want.values, ...Object.fromEntries(ids) } }
    }
  }

  /** An earlier run did not see it and took it away. */
  function isToReturn(type: ContentType | undefined, want: Wanted | undefined): boolean {
    return want?.known?.isGone === true && output.publish && type?.draftAndPublish === true
  }

  async function typeFor(
    items: readonly CollectedItem[],
  ): Promise<{ readonly type: ContentType | undefined; readonly refusal: string }> {
    const found = content.model().findType(output.collection)
    if (found || !output.create || items.length === 0) return { type: found, refusal: '' }
    let refusal = ''
    try {
      await content.createType(
        designType(
          output,
          items.map(({ value }) => value),
        ),
      )
    } catch (error) {
      // Another page of the run was quicker, or a name cannot be had: the log will say so.
      if (!isRefusal(error)) throw error
      refusal = `, and it cannot be made: ${reasonOf(error)}`
    }
    return { type: content.model().findType(output.collection), refusal }
  }

  async function toWanted(
    item: CollectedItem,
    key: string,
    known: ReadonlyMap<string, KnownEntry>,
    type: ContentType | undefined,
    { attached, hasNewFiles }: Pick<Wanted, 'attached' | 'hasNewFiles'>,
  ): Promise<Wanted> {
    const values = valuesOf(item.value, output, type)
    const before = await findOwn(type, known.get(hashOf(key)))
    const told = output.media.size > 0 ? { values, files: [...attached] } : values
    const valuesHash = hashOf(JSON.stringify(told))
    const isSame = isUnchanged({ known: before, valuesHash, hasNewFiles })
    const mayBeEdited = before && type && !isSame && output.onEdited === 'keep'
    const edited = mayBeEdited ? await findEdited(type, before) : []
    const externalId = externalIdOf(key)
    return { externalId, values, valuesHash, known: before, edited, attached, hasNewFiles }
  }

  /** Undefined when the entry is in another collection or language than the items are published in by now. */
  async function findOwn(
    type: ContentType | undefined,
    known: KnownEntry | undefined,
  ): Promise<KnownEntry | undefined> {
    if (!type || !known) return known
    const { defaultLocale, findLocale } = content.model()
    const locale = output.locale === null ? defaultLocale : findLocale(output.locale)?.code
    if (type.localized && known.locale && known.locale !== locale) return undefined
    if (known.type === type.singularName) return known
    // Under its former name a type is the same. Another type has entries of the same numbers.
    const entry = await findEntry(type, known.id, [])
    return entry?.documentId === known.documentId ? known : undefined
  }

  function findEntry(type: ContentType, id: number, include: ReturnType<typeof includeOf>) {
    return content.findOne(
      { level: 'admin' },
      { type, state: 'working', locale: { kind: 'all' }, filter: null, include },
      { id },
    )
  }

  async function findEdited(type: ContentType, before: KnownEntry): Promise<string[]> {
    const included = [...output.media.keys()].flatMap((name) => includeOf(name, type))
    const entry = await findEntry(type, before.id, included)
    if (!entry) return []
    const now = new Map([...hashesOf(entry), ...fileHashesOf(entry)])
    return Object.entries(before.written).flatMap(([name, hash]) =>
      now.get(name) !== undefined && now.get(name) !== hash ? [name] : [],
    )
  }

  function toInput(item: CollectedItem, want: Wanted): EntryInput {
    const source = {
      ...{ scraper_id: scraper.id, run_id: run.id, url: item.url },
      fetched_at: renderTime(item.fetchedAtMs),
    }
    const locale = output.locale ? { locale: output.locale } : {}
    return { values: ownValues(want), externalId: want.externalId, source, ...locale }
  }

  function toKnown(item: CollectedItem, want: Wanted, entry: Entry) {
    const { edited, known, valuesHash, attached } = want
    const values = ownValues(want)
    const isOwn = (name: string) => Object.hasOwn(values, name)
    return {
      ...{ keyHash: hashOf(keyOf(item, output)), locale: entry.locale, valuesHash, isGone: false },
      runId: run.id,
      written: {
        // What a person changed stays theirs, however often the page changes.
        ...Object.fromEntries(edited.map((name) => [name, known?.written[name] ?? ''])),
        ...Object.fromEntries([...hashesOf(entry)].filter(([name]) => isOwn(name))),
        ...Object.fromEntries(
          [...attached.keys()]
            .filter(isOwn)
            .map((name) => [name, hashOf(JSON.stringify(values[name]))]),
        ),
      },
    }
  }

  /** Entries the run did not see, after one that saw everything there is. */
  async function settleMissing(signal: AbortSignal): Promise<void> {
    const { onMissing } = output
    const { findType } = content.model()
    const current = findType(output.collection)
    if (onMissing === 'keep' || !current) return
    const unread = await findUnread(reader, scraper.id, run.id)
    for (;;) {
      const unseen = await findUnseen(reader, scraper.id, run.id, AT_ONCE)
      if (unseen.length === 0) return
      if (unread !== undefined) return tellKept(unread)
      for (const known of unseen) {
        signal.throwIfAborted()
        await takeAway(findType(known.type) ?? current, known, onMissing)
      }
    }
  }

  /** Of what the run did not read nobody knows whether it is still there. */
  async function tellKept(unread: string): Promise<void> {
    const message =
      'Entries that were not found are kept: they may be on pages that could not be read, as this one. The next run that reads all of its pages decides; crawl.exclude leaves pages out'
    const line = {
      atMs: clock.now(),
      level: 'warn',
      type: 'publish',
      url: unread,
      message,
    } as const
    await db.main.carryOut(lineSteps(writer, run.id, [line]))
  }

  async function takeAway(type: ContentType, known: KnownEntry, how: 'unpublish' | 'delete') {
    const target = { id: known.id }
    try {
      if (how === 'delete') await content.entries.remove(actor, type, target, { alongside: gone })
      else await content.entries.unpublish(actor, type, target, { alongside: gone })
    } catch (error) {
      // A person has removed it before, or its type has no drafts: there is nothing left to do.
      if (!isRefusal(error)) throw error
      await markGone(writer, scraper.id, known.keyHash)
    }

    async function gone(tx: Tx) {
      await markGone(tx.as<ScrapersTables>(), scraper.id, known.keyHash)
    }
  }
}

/** A database that is busy and writers who are quicker refuse nothing for good: the run is taken up again, its item with it. */
function isRefusal(error: unknown): error is DomainError {
  return error instanceof DomainError && error.kind !== 'unavailable'
}

/** `url` is the item's own, one for each item of a page; any other key is a member of its data. */
function keyOf({ value, urlKey }: CollectedItem, { key }: Output): string {
  const own = key === 'url' ? undefined : valueAt(value, key)
  return typeof own === 'string' || typeof own === 'number' ? String(own) : urlKey
}

function externalIdOf(key: string): string {
  return key.length <= MAX_EXTERNAL_ID
    ? key
    : `${key.slice(0, MAX_EXTERNAL_ID - 23)}~${hashOf(key)}`
}

/** By the map; without one members with names of attributes are taken. */
function valuesOf(
  value: Json,
  { map, media }: Output,
  type: ContentType | undefined,
): Record<string, unknown> {
  if (map.size > 0) {
    return Object.fromEntries(
      [...map].map(([name, source]) => [
        name,
        'from' in source ? (valueAt(value, source.from) ?? null) : source.const,
      ]),
    )
  }
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name]) => (type?.attribute.has(name) ?? true) && !media.has(name),
    ),
  )
}

function isUnchanged(
  want: Pick<Wanted, 'known' | 'valuesHash' | 'hasNewFiles'> | undefined,
): boolean {
  const known = want?.known
  return known?.valuesHash === want?.valuesHash && !known?.isGone && !want?.hasNewFiles
}

function entryOf(known: KnownEntry | undefined): PublishedEntry | null {
  return known ? { type: known.type, documentId: known.documentId, id: known.id } : null
}

/** What a person changed is not written again. */
function ownValues({ values, edited }: Wanted): Wanted['values'] {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !edited.includes(name)))
}

const MOST_FILES = 1_000

function includeOf(field: string, type: ContentType) {
  if (type.attribute.get(field)?.type !== 'media') return []
  const whole = { filter: null, sort: [], start: 0, limit: MOST_FILES, include: [] }
  return [{ ...whole, field, depth: 'ids', named: true } as const]
}

/** Of the ids of attached files, as they are written. */
function fileHashesOf({ included }: Entry): [string, string][] {
  return [...included].flatMap(([name, each]): [string, string][] =>
    each.kind === 'ids' ? [[name, hashOf(JSON.stringify(each.ids.map(({ id }) => id)))]] : [],
  )
}

function hashesOf(entry: Entry): Map<string, string> {
  return new Map(
    Object.entries(entry.values()).map(([name, value]) => [name, hashOf(JSON.stringify(value))]),
  )
}

/** The first attribute that was wrong, by name. */
function reasonOf({ message, issues }: DomainError): string {
  const [first] = issues
  return first ? `${first.path.join('.')}: ${first.message}` : message
}
