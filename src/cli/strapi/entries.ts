import type { Output } from '../command.ts'
import { createHere, type Here, stateOf } from './here.ts'
import type { Peer } from './http.ts'
import { idOf } from './ids.ts'
import { isInverse, isToMany, type PairedType, type Pairing } from './pairing.ts'
import { populateAll, populateLinks } from './populate.ts'
import type { Locale, Reader } from './read.ts'
import { type ImportRecord, timesOf, toBare, toWhole } from './records.ts'
import type { Tally } from './tally.ts'
import { createTranslation } from './translate.ts'

interface Deps {
  readonly target: Peer
  readonly reader: Reader
  readonly pairing: Pairing
  readonly locales: readonly Locale[]
  readonly tally: Tally
  readonly output: Output
}

/** A type in one of its languages; null: of a type that has none. */
interface Part {
  readonly type: PairedType
  readonly locale: string | null
}

/**
 * Three rounds over everything, because entries lead to each other: documents with their own values, then entries
 * whole, then the order of relations as seen from their far ends. Each knows from what is here what was done before.
 */
export async function importEntries(deps: Deps): Promise<void> {
  const { reader, pairing, tally, output } = deps
  const here = createHere(deps.target)
  const live = new Map<string, Set<string>>()
  const parts = partsOf(deps)
  for (const part of parts) await makeDocuments(part)
  const times = new Map<string, string>()
  const newer = new Set<string>()
  const languages = codesOf(deps.locales)
  for (const part of parts) await makeWhole(part)
  for (const part of parts) await keepOrder(part)
  output.progress?.('')

  async function makeDocuments(part: Part) {
    const { type, locale } = part
    const known = await here.known(type, locale)
    const translation = translationOf(part)
    let done = 0
    for await (const page of reader.pages(type, locale, 'draft', [])) {
      const records = page
        .map((record) => toBare(type, locale, record, translation))
        .filter(({ document_id }) => !known.has(document_id))
      await put(part, records)
      done += page.length
      show(part, 'documents', done)
    }
    await noteLive(part)
  }

  /** What is live is asked beforehand, as a link to a draft does not show. */
  async function noteLive({ type, locale }: Part) {
    if (!type.hasDrafts) return
    const ids = live.get(keyOf(type.uid, locale)) ?? new Set<string>()
    for await (const page of reader.pages(type, locale, 'published', ['fields[0]=documentId'])) {
      for (const { documentId } of page) ids.add(String(documentId))
    }
    live.set(keyOf(type.uid, locale), ids)
  }

  async function makeWhole(part: Part) {
    const { type, locale } = part
    const known = await here.known(type, locale)
    const translation = translationOf(part)
    const counts = { write: 0, there: 0, newer: 0 }
    for await (const page of reader.entries(type, locale, populateAll(type.pairs, pairing))) {
      const records: ImportRecord[] = []
      for (const entry of page) {
        const record = toWhole(type, locale, entry, translation)
        const state = stateOf(record, known.get(record.document_id))
        counts[state]++
        if (state === 'write') records.push(record)
        if (state === 'newer') newer.add(entry.documentId)
        else times.set(keyOf(record.document_id, locale), timesOf(record).updated ?? '')
      }
      await put(part, records)
      show(part, 'entries', counts.write + counts.there + counts.newer)
    }
    output.progress?.('')
    const left = counts.newer > 0 ? `, ${counts.newer} left as they are: changed here since` : ''
    output.out(
      `${nameOf(part)}: ${counts.write} brought over, ${counts.there} there already${left}`,
    )
  }

  /**
   * Moves what is linked. All languages of a document have one order here, that of the first one; entries that were
   * changed here since stay as they are.
   */
  async function keepOrder(part: Part) {
    const { type, locale } = part
    const pairs = type.pairs.filter(({ attribute }) => isInverse(attribute) && isToMany(attribute))
    if (pairs.length === 0) return
    for await (const page of reader.pages(type, locale, 'draft', populateLinks(pairs))) {
      const records = page.flatMap((record) => {
        const documentId = String(record['documentId'])
        const isFirst = locale === languageOf(documentId)
        const updated_at = isFirst ? times.get(keyOf(idOf(documentId), locale)) : undefined
        const moved = pairs.flatMap(({ name, as }) => {
          const ids = documentIds(record[name]).filter(
            (id) => !tally.isMissing(id) && !newer.has(id),
          )
          const connect = ids.map((id) => ({ id: idOf(id), position: { end: true } }))
          return ids.length > 1 ? [[as, { connect, options: { strict: false } }] as const] : []
        })
        if (moved.length === 0 || updated_at === undefined || tally.isMissing(documentId)) return []
        const working = { values: Object.fromEntries(moved), updated_at }
        const where = locale === null ? {} : { locale }
        return [{ document_id: idOf(documentId), external_id: documentId, ...where, working }]
      })
      await put(part, records)
      output.progress?.(`${nameOf(part)}: order of relations`)
    }
  }

  /** The first of the languages it has; null: it has none. */
  function languageOf(documentId: string): string | null {
    const own = languages.find((code) => times.has(keyOf(idOf(documentId), code)))
    return own ?? null
  }

  function put(part: Part, records: readonly ImportRecord[]): ReturnType<Here['put']> {
    return here.put(part.type, records, ({ external_id }, message) =>
      tally.fail(external_id, `${nameOf(part)} ${external_id}: ${message}`),
    )
  }

  function translationOf({ locale }: Part) {
    const drafted = new Set(
      pairing.types.filter(({ hasDrafts }) => hasDrafts).map(({ uid }) => uid),
    )
    return createTranslation(pairing, {
      has: (id) => !tally.isMissing(id),
      isLive: (uid, id) => {
        if (!drafted.has(uid)) return true
        const sets = [live.get(keyOf(uid, locale)), live.get(keyOf(uid, null))]
        return sets.some((ids) => ids?.has(id)) || (locale === null && isLiveAnywhere(uid, id))
      },
    })
  }

  /** Of an entry without language any variant of its targets may be shown. */
  function isLiveAnywhere(uid: string, id: string): boolean {
    return deps.locales.some(({ code }) => live.get(keyOf(uid, code))?.has(id))
  }

  function show(part: Part, what: string, done: number) {
    output.progress?.(`${nameOf(part)}: ${done} ${what}`)
  }
}

function partsOf({ pairing, locales }: Pick<Deps, 'pairing' | 'locales'>): Part[] {
  const codes = codesOf(locales)
  return pairing.types.flatMap((type): Part[] =>
    type.isLocalized ? codes.map((locale) => ({ type, locale })) : [{ type, locale: null }],
  )
}

export function nameOf({
  type,
  locale,
}: {
  type: { pluralName: string }
  locale: string | null
}): string {
  return locale === null ? type.pluralName : `${type.pluralName} (${locale})`
}

/** The language that others are translations of comes first. */
function codesOf(locales: readonly Locale[]): string[] {
  const sorted = locales.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault))
  return sorted.map(({ code }) => code)
}

function keyOf(name: string, locale: string | null): string {
  return `${name} ${locale ?? ''}`
}

function documentIds(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return [...new Set(value.map(({ documentId }) => String(documentId)))]
}
