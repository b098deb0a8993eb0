import type { SqlDialect } from '#db'
import { renderDocument, renderHidden } from '../document.ts'
import type { Body, Part as BodyPart } from '../entries/body.ts'
import type { Trx } from '../entries/store/statements.ts'
import type { Entry, EntryPage, Included, MediaFile, Part } from '../entry.ts'
import { toMediaFile } from '../media/store.ts'
import {
  type Attribute,
  type ContentModel,
  type ContentType,
  type FieldSet,
  isToMany,
  type MediaAttribute,
  type RelationAttribute,
} from '../model.ts'
import { mayRead } from '../permissions.ts'
import type { ContentQuery, Filter, Include, LocaleChoice } from '../query/ast.ts'
import { toPart } from '../query/load/to-entry.ts'
import { requireRead } from '../query/rights.ts'
import { toSlot } from '../query/slot.ts'
import type { Viewer } from '../viewer.ts'
import { isKept } from './kept-body.ts'
import { findFiles, findVariants } from './store.ts'

interface Deps {
  readonly dialect: Pick<SqlDialect, 'isOneOf'>
  model(): ContentModel
  find(viewer: Viewer, query: ContentQuery): Promise<EntryPage>
}

/** Of which variant related entries are shown. */
interface Whose {
  readonly type: FieldSet
  readonly locale: string
}

/** Whether a revision itself says what is asked for. */
export function isHeld(set: FieldSet, { field }: Include): boolean {
  const attribute = set.attribute.get(field)
  return attribute !== undefined && isKept(attribute)
}

function partsIn(attribute: Attribute, parts: readonly Part[]): Included {
  if (attribute.type === 'dynamiczone') return { kind: 'zone', parts }
  return isToMany(attribute) ? { kind: 'parts', parts } : { kind: 'part', part: parts[0] ?? null }
}

/** Of a list what is asked for. */
function pieceOf<Item>(
  list: readonly Item[],
  { start, limit }: Pick<Include, 'start' | 'limit'>,
): readonly Item[] {
  const from = toSlot(start).of([])
  return list.slice(from, from + toSlot(limit).of([]))
}

/** What a revision refers to, as far as it exists, in the form in which it is asked for. */
export function createIncluded({ dialect, model, find }: Deps) {
  return { load }

  async function load(
    trx: Trx,
    viewer: Viewer,
    { type, locale }: Whose,
    body: Body,
    includes: readonly Include[],
  ): Promise<ReadonlyMap<string, Included>> {
    const loaded = new Map<string, Included>()
    for (const include of includes) {
      const attribute = type.attribute.get(include.field)
      const name = include.as ?? include.field
      if (attribute?.type === 'media') {
        const uuids = body.links.get(attribute.no) ?? []
        loaded.set(name, await filesOf(trx, attribute, uuids, include))
      } else if (attribute?.type === 'relation') {
        if (!mayShow(viewer, attribute, include)) continue
        const ids = body.links.get(attribute.no) ?? []
        loaded.set(name, await entriesOf(trx, viewer, attribute, ids, locale, include))
      } else if (attribute) {
        const parts: Part[] = []
        for (const part of body.parts.get(attribute.no) ?? []) {
          parts.push(await partOf(part, include))
        }
        loaded.set(name, partsIn(attribute, parts))
      }
    }
    return loaded

    async function partOf({ id, component, body: own }: BodyPart, { include, on }: Include) {
      const wanted = on ? (on.get(component.uid) ?? []) : include
      const held = wanted.filter((each) => isHeld(component, each))
      const inside = await load(trx, viewer, { type: component, locale }, own, held)
      const json = renderDocument(component, own.values)
      return toPart({ component, id, json, included: inside }, renderHidden(own.formats))
    }
  }

  /** As of an entry that is there: to what may not be read a revision refers no more than that. */
  function mayShow(viewer: Viewer, { target }: RelationAttribute, { named }: Include): boolean {
    const type = model().findType(target)
    if (type && named) requireRead(viewer, type)
    return !type || mayRead(viewer, type)
  }

  async function filesOf(
    trx: Trx,
    attribute: MediaAttribute,
    uuids: readonly string[],
    include: Include,
  ): Promise<Included> {
    const rows = await findFiles(trx, dialect, uuids)
    const byUuid = new Map(rows.map((row) => [row.uuid, toMediaFile(row)]))
    const files: MediaFile[] = uuids.flatMap((uuid) => byUuid.get(uuid) ?? [])
    if (include.depth === 'ids') {
      const ids = files.map(({ id, uuid, mime }) => ({ id, documentId: uuid, mime }))
      return { kind: 'ids', ids: pieceOf(ids, include), total: ids.length }
    }
    if (attribute.multiple) return { kind: 'files', files, total: files.length }
    return { kind: 'file', file: files[0] ?? null }
  }

  async function entriesOf(
    trx: Trx,
    viewer: Viewer,
    attribute: RelationAttribute,
    ids: readonly string[],
    locale: string,
    include: Include,
  ): Promise<Included> {
    const target = model().findType(attribute.target)
    if (include.depth === 'ids' || !target) {
      const found = target ? await referencesOf(trx, target, ids, locale) : []
      return { kind: 'ids', ids: pieceOf(found, include), total: found.length }
    }
    const { entries, total } = await asked(viewer, target, ids, locale, include)
    if (isToMany(attribute)) return { kind: 'entries', entries, total }
    return { kind: 'entry', entry: entries[0] ?? null }
  }

  async function asked(
    viewer: Viewer,
    type: ContentType,
    ids: readonly string[],
    locale: string,
    { filter, sort, include, ...page }: Include,
  ): Promise<{ readonly entries: readonly Entry[]; readonly total: number }> {
    if (ids.length === 0) return { entries: [], total: 0 }
    const isListed: Filter = {
      ...{ kind: 'compare', field: 'documentId', operator: 'in', fold: false, values: ids },
    }
    const { entries } = await find(viewer, {
      ...{ type, state: 'working', locale: localeFor(type, locale), sort, include, search: '' },
      filter: filter ? { kind: 'and', of: [isListed, filter] } : isListed,
      page: { kind: 'offset', start: 0, limit: ids.length, count: false },
    })
    const inOrder =
      sort.length > 0
        ? entries
        : ids.flatMap((id) => entries.find(({ documentId }) => documentId === id) ?? [])
    return { entries: pieceOf(inOrder, page), total: inOrder.length }
  }

  function localeFor({ localized }: ContentType, locale: string): LocaleChoice {
    const { defaultLocale, locales } = model()
    if (!localized) return { kind: 'all' }
    const others = [defaultLocale, ...locales.map(({ code }) => code)]
    const code = locale === '' ? defaultLocale : locale
    return { kind: 'one', code, fallback: [...new Set(others)].filter((each) => each !== code) }
  }

  /** Of each document the variant that would be shown (content model §4). */
  async function referencesOf(
    trx: Trx,
    { no }: ContentType,
    ids: readonly string[],
    locale: string,
  ) {
    const { defaultLocale } = model()
    const rows = (await findVariants(trx, dialect, ids)).filter((row) => row.type_no === no)
    const variants = Map.groupBy(rows, (row) => row.document_id)
    return ids.flatMap((documentId) => {
      const own = variants.get(documentId) ?? []
      const shown =
        own.find((row) => row.locale === locale) ??
        own.find((row) => row.locale === defaultLocale) ??
        own[0]
      return shown ? [{ id: shown.id, documentId }] : []
    })
  }
}
