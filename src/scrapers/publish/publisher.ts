import type { Kysely } from 'kysely'
import type { Content, ContentType, Entries, Entry } from '#content'
import { type Actor, type Database, DomainError, renderTime, type Tx } from '#kernel'
import type { Output } from '../definition/definition.ts'
import type { CollectedItem } from '../engine/page-writes.ts'
import { hashOf } from '../engine/urls.ts'
import { isJsonObject, type Json, valueAt } from '../extract/values.ts'
import type { PublishedEntry, Run, Scraper } from '../records.ts'
import {
  findKnown,
  findUnseen,
  type KnownEntry,
  markGone,
  markSeen,
  saveKnown,
} from '../store/entries.ts'
import type { NewLine } from '../store/log.ts'
import type { ScrapersTables } from '../tables.ts'
import { designType } from './design-type.ts'

interface Deps {
  readonly db: Database
  readonly content: {
    model: Content['model']
    readonly entries: Entries
    findOne: Content['findOne']
    createType(body: ReturnType<typeof designType>): Promise<ContentType>
  }
  readonly scraper: Scraper
  readonly run: Run
  readonly output: Output
}

/** What an item becomes, decided before its transaction begins. */
interface Wanted {
  readonly externalId: string
  readonly values: Readonly<Record<string, unknown>>
  readonly valuesHash: string
  readonly known: KnownEntry | undefined
  /** Attributes a person changed since the scraper's last write. */
  readonly edited: readonly string[]
}

const KEY = 'externalId'
const AT_ONCE = 20
/** Both databases limit the length of an index entry; longer keys are named by their hash. */
const MAX_EXTERNAL_ID = 255

/** Items become entries of a collection (scrapers contract §6), in the transaction of their page. */
export function createPublisher({ db, content, scraper, run, output }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  const actor: Actor = {
    ...{ userId: scraper.userId, consumerId: scraper.consumerId, access: 'write' },
    ...{ apiKeyId: null, planId: null, kind: 'system' },
  }
  return { prepare, settleMissing }

  /** Reads what must be known; makes the type where that is wanted and missing. */
  async function prepare(items: readonly CollectedItem[]) {
    const type = await typeFor(items)
    const keys = items.map((item) => keyOf(item, output))
    const known = await findKnown(reader, scraper.id, keys.map(hashOf))
    const wanted = await Promise.all(
      items.map((item, index) => toWanted(item, keys[index] ?? item.url, known, type)),
    )
    return { publish: (tx: Tx) => publish(tx, items, wanted, type) }
  }

  async function typeFor(items: readonly CollectedItem[]): Promise<ContentType | undefined> {
    const found = content.model().findType(output.collection)
    if (found || !output.create || items.length === 0) return found
    try {
      return await content.createType(
        designType(
          output,
          items.map(({ value }) => value),
        ),
      )
    } catch (error) {
      // Another page of the run was quicker, or the name cannot be had: the log will say so.
      if (!(error instanceof DomainError)) throw error
      return content.model().findType(output.collection)
    }
  }

  async function toWanted(
    item: CollectedItem,
    key: string,
    known: ReadonlyMap<string, KnownEntry>,
    type: ContentType | undefined,
  ): Promise<Wanted> {
    const values = valuesOf(item.value, output, type)
    const before = known.get(hashOf(key))
    const valuesHash = hashOf(JSON.stringify(values))
    const isSame = before?.valuesHash === valuesHash && !before.isGone
    const mayBeEdited = before && type && !isSame && output.onEdited === 'keep'
    const edited = mayBeEdited ? await findEdited(type, before) : []
    return { externalId: externalIdOf(key), values, valuesHash, known: before, edited }
  }

  async function findEdited(type: ContentType, before: KnownEntry): Promise<string[]> {
    const entry = await content.findOne(
      { level: 'admin' },
      { type, state: 'working', locale: { kind: 'all' }, filter: null, include: [] },
      { id: before.id },
    )
    if (!entry) return []
    const now = hashesOf(entry)
    return Object.entries(before.written).flatMap(([name, hash]) =>
      now.get(name) !== undefined && now.get(name) !== hash ? [name] : [],
    )
  }

  async function publish(
    tx: Tx,
    items: readonly CollectedItem[],
    wanted: readonly Wanted[],
    type: ContentType | undefined,
  ) {
    const trx = tx.as<ScrapersTables>()
    const lines: NewLine[] = []
    const entries: (PublishedEntry | null)[] = []
    const seen: string[] = []
    for (const [index, item] of items.entries()) {
      const want = wanted[index]
      if (!want) continue
      const { known } = want
      if (known && known.valuesHash === want.valuesHash && !known.isGone) {
        seen.push(known.keyHash)
        entries.push({ type: known.type, documentId: known.documentId, id: known.id })
        continue
      }
      const line = { atMs: item.fetchedAtMs, type: 'publish', url: item.url } as const
      entries.push(
        await write(tx, item, want, type, (level, message) => {
          lines.push({ ...line, level, message })
        }),
      )
    }
    await markSeen(trx, scraper.id, run.id, seen)
    return { entries, lines }
  }

  /** Null when the content store refuses the item, which then stays a result only. */
  async function write(
    tx: Tx,
    item: CollectedItem,
    want: Wanted,
    type: ContentType | undefined,
    tell: (level: NewLine['level'], message: string) => void,
  ): Promise<PublishedEntry | null> {
    if (!type) {
      tell('error', `There is no collection ${output.collection}`)
      return null
    }
    try {
      return await tx.savepoint(() => upsert(tx, item, want, type, tell))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      tell('error', `Not published: ${reasonOf(error)}`)
      return null
    }
  }

  async function upsert(
    tx: Tx,
    item: CollectedItem,
    want: Wanted,
    type: ContentType,
    tell: (level: NewLine['level'], message: string) => void,
  ): Promise<PublishedEntry> {
    const { edited, known, externalId, valuesHash } = want
    if (edited.length > 0) tell('warn', `Kept what people changed: ${edited.join(', ')}`)
    const values = Object.fromEntries(
      Object.entries(want.values).filter(([name]) => !edited.includes(name)),
    )
    const source = {
      ...{ scraper_id: scraper.id, run_id: run.id, url: item.url },
      fetched_at: renderTime(item.fetchedAtMs),
    }
    const input = {
      values,
      externalId,
      source,
      ...(output.locale ? { locale: output.locale } : {}),
    }
    const status = output.publish ? 'published' : 'draft'
    const options = { tx, status } as const
    const { entry } = await content.entries.upsert(actor, type, KEY, input, options)
    if (known?.isGone && output.publish && type.draftAndPublish) {
      await content.entries.publish(actor, type, { id: entry.id }, { tx })
    }
    const published = { type: type.singularName, documentId: entry.documentId, id: entry.id }
    await saveKnown(tx.as<ScrapersTables>(), scraper.id, run.id, {
      ...published,
      ...{ keyHash: hashOf(keyOf(item, output)), locale: entry.locale, valuesHash, isGone: false },
      written: Object.fromEntries(
        [...hashesOf(entry)].filter(([name]) => Object.hasOwn(values, name)),
      ),
    })
    return published
  }

  /** Entries the run did not see, after one that saw everything there is. */
  async function settleMissing(): Promise<void> {
    const { onMissing } = output
    const type = content.model().findType(output.collection)
    if (onMissing === 'keep' || !type) return
    for (;;) {
      const unseen = await findUnseen(reader, scraper.id, run.id, AT_ONCE)
      if (unseen.length === 0) return
      for (const known of unseen) {
        await db.main.transaction(undefined, (tx) => takeAway(tx, type, known, onMissing))
      }
    }
  }

  async function takeAway(
    tx: Tx,
    type: ContentType,
    known: KnownEntry,
    how: 'unpublish' | 'delete',
  ) {
    try {
      await tx.savepoint(async () => {
        if (how === 'delete') await content.entries.remove(actor, type, { id: known.id }, { tx })
        else await content.entries.unpublish(actor, type, { id: known.id }, { tx })
      })
    } catch (error) {
      // A person has removed it before, or its type has no drafts: there is nothing left to do.
      if (!(error instanceof DomainError)) throw error
    }
    await markGone(tx.as<ScrapersTables>(), scraper.id, known.keyHash)
  }
}

/** `url` is the item's own; any other key is a member of its data. */
function keyOf({ value, url }: CollectedItem, { key }: Output): string {
  const own = key === 'url' ? undefined : valueAt(value, key)
  return typeof own === 'string' || typeof own === 'number' ? String(own) : url
}

function externalIdOf(key: string): string {
  return key.length <= MAX_EXTERNAL_ID
    ? key
    : `${key.slice(0, MAX_EXTERNAL_ID - 23)}~${hashOf(key)}`
}

/** By the map; without one members with names of attributes are taken. */
function valuesOf(
  value: Json,
  { map }: Output,
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
  if (!isJsonObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => type?.attribute.has(name) ?? true),
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
