import type { Entry, EntryInput, UpdateOptions } from '#content'
import type { ContentType } from '#content-model'
import type { Alongside } from '#db'
import { type Actor, DomainError } from '#kernel'
import { type Fault, refused, unknownProduct } from '../refusals.ts'
import { createFindProducts, type ProductContent } from './find.ts'
import { missingOnCreate, missingOnUpdate, type ProductChange, parseProduct } from './parse.ts'
import { productType } from './product-type.ts'
import { DEFAULT_STORE, type Store } from './stores.ts'

/** A product as the dialect writes it, names in snake_case; not checked yet. */
export type GivenProduct = Readonly<Record<string, unknown>>

export interface Saved {
  readonly id: number
  readonly sku: string
  readonly created: boolean
}

/** What else is written in the transaction of the change; added again when the change has to be made anew. */
export interface SaveOptions {
  readonly alongside?: Alongside<Saved> | undefined
}

export interface SaveItem extends SaveOptions {
  readonly product: GivenProduct
  /** Of the path, where it has one. */
  readonly sku?: string | undefined
}

export type SavedItem = { readonly value: Saved } | { readonly error: unknown }

/** Somebody else was quicker; after so many times the caller hears of it. */
const ATTEMPTS = 10

/** Products are entries: whatever changes here is seen in every other interface, with its events. */
export function createProducts({ content }: { readonly content: ProductContent }) {
  const { entries } = content
  const findProducts = createFindProducts(content)
  return { save, saveAll, setStock, remove, find: findProducts }

  /** Creates the product or changes what is sent of it (contract §4.3); `sku` is that of the path. */
  async function save(
    actor: Actor,
    store: Store,
    product: GivenProduct,
    sku?: string,
    options: SaveOptions = {},
  ): Promise<Saved> {
    for (let attempt = 1; ; attempt++) {
      const change = parseProduct(productType(content.model()), product, sku)
      const { type, bySku } = await findProducts(store, [change.sku])
      try {
        return await write(actor, { type, store }, change, bySku.get(change.sku), options)
      } catch (error) {
        if (attempt >= ATTEMPTS || !isOvertaken(error)) throw error
      }
    }
  }

  /**
   * Many products of different SKUs, each kept or refused by itself: new ones share plans, those that exist are
   * written `atOnce` at a time.
   */
  async function saveAll(
    actor: Actor,
    store: Store,
    items: readonly SaveItem[],
    atOnce: number,
  ): Promise<readonly SavedItem[]> {
    const type = productType(content.model())
    const done: SavedItem[] = []
    const parsed = items.map((item, at) => {
      try {
        return parseProduct(type, item.product, item.sku)
      } catch (error) {
        done[at] = { error }
        return undefined
      }
    })
    const { bySku } = await findProducts(
      store,
      parsed.flatMap((change) => change?.sku ?? []),
    )
    const isNew = (at: number) => {
      const change = parsed[at]
      return change !== undefined && !bySku.has(change.sku)
    }
    const fresh = items.map((_, at) => at).filter(isNew)
    await createAll(actor, { type, store }, fresh, items, parsed, done)
    const left = items.map((_, at) => at).filter((at) => done[at] === undefined)
    for (let from = 0; from < left.length; from += atOnce) {
      await Promise.all(left.slice(from, from + atOnce).map(saveOne))
    }
    return done

    async function saveOne(at: number) {
      const item = items[at]
      const change = parsed[at]
      if (!item || !change) return
      try {
        done[at] = { value: await saveKnown(item, change) }
      } catch (error) {
        done[at] = { error }
      }
    }

    /** By what was found for all of them, and looked for again only when somebody else was quicker. */
    async function saveKnown(item: SaveItem, change: ProductChange): Promise<Saved> {
      const known = bySku.get(change.sku)
      try {
        if (known) return await write(actor, { type, store }, change, known, item)
      } catch (error) {
        if (!isOvertaken(error)) throw error
      }
      return save(actor, store, item.product, item.sku, item)
    }
  }

  /** What is refused because another writer made the product first is left to be saved by itself. */
  async function createAll(
    actor: Actor,
    where: Where,
    fresh: readonly number[],
    items: readonly SaveItem[],
    parsed: readonly (ProductChange | undefined)[],
    done: SavedItem[],
  ) {
    const ready: { at: number; change: ProductChange }[] = []
    for (const at of fresh) {
      const change = parsed[at]
      if (!change) continue
      const lacking = missingOnCreate(change)
      if (lacking.length > 0) done[at] = { error: refused(lacking) }
      else ready.push({ at, change })
    }
    const list = ready.map(({ at, change }) => ({
      input: inputOf(where, change),
      options: {
        status: change.status === 2 ? ('draft' as const) : ('published' as const),
        alongside: besides(items[at], change.sku, true),
      },
    }))
    const results = await entries.createAll(actor, where.type, list)
    for (const [nth, { at, change }] of ready.entries()) {
      const result = results[nth]
      if (!result) continue
      if ('error' in result) {
        if (!isOvertaken(result.error)) done[at] = result
      } else done[at] = { value: { id: result.value.entry.id, sku: change.sku, created: true } }
    }
  }

  async function write(
    actor: Actor,
    where: Where,
    change: ProductChange,
    known: Entry | undefined,
    options: SaveOptions,
  ): Promise<Saved> {
    const { type } = where
    const { sku } = change
    if (known && !isTranslated(known, where)) {
      refuseLacking(missingOnUpdate(change, known.values()))
      const { values, members } = change
      const { entry } = await entries.update(
        actor,
        type,
        { id: known.id },
        { values, members },
        {
          status: statusFor(change, known),
          alongside: besides(options, sku, false),
        },
      )
      return { id: entry.id, sku, created: false }
    }
    const whole = known ? inherited(change, known, await shownOf(known, where, sku)) : change
    refuseLacking(missingOnCreate(whole))
    const input = inputOf(where, whole)
    const document = known ? { documentId: known.documentId } : {}
    const { entry } = await entries.create(
      actor,
      type,
      { ...input, ...document },
      {
        status: isDraftOf(change, known) ? 'draft' : 'published',
        alongside: besides(options, sku, known === undefined),
      },
    )
    return { id: entry.id, sku, created: known === undefined }
  }

  /** The copy that readers see of what is translated: drafted values go live nowhere. */
  async function shownOf(known: Entry, { store }: Where, sku: string): Promise<Entry> {
    if (known.status !== 'changed') return known
    return (await findProducts(store, [sku], 'live')).bySku.get(sku) ?? known
  }

  /** The stock of a product that exists. */
  async function setStock(
    actor: Actor,
    store: Store,
    sku: string,
    item: GivenProduct,
    options: SaveOptions = {},
  ): Promise<Saved> {
    const { bySku } = await findProducts(store, [sku])
    if (!bySku.has(sku)) throw unknownProduct(sku)
    // All languages share the stock: setting it translates nothing.
    return save(actor, DEFAULT_STORE, { extension_attributes: { stock_item: item } }, sku, options)
  }

  /** With all its languages; refused when there is none. */
  async function remove(
    actor: Actor,
    store: Store,
    sku: string,
    options: SaveOptions = {},
  ): Promise<Saved> {
    const { type, bySku } = await findProducts(store, [sku])
    const known = bySku.get(sku)
    if (!known) throw unknownProduct(sku)
    const { id } = known
    try {
      await entries.remove(
        actor,
        type,
        { id },
        { allLocales: true, alongside: besides(options, sku, false) },
      )
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') throw unknownProduct(sku)
      throw error
    }
    return { id, sku, created: false }
  }
}

export type Products = ReturnType<typeof createProducts>

interface Where {
  readonly type: ContentType
  readonly store: Store
}

function refuseLacking(faults: readonly Fault[]) {
  if (faults.length > 0) throw refused(faults)
}

/** It is shown in the default locale because it has no variant in the store's. */
function isTranslated({ type, locale }: Entry, { store }: Where): boolean {
  return type.localized && store.locale !== null && locale !== store.locale
}

/**
 * A new translation begins with what the product says in the default locale; what languages share stays as it is,
 * but for the JSON attributes whose members change.
 */
function inherited(change: ProductChange, known: Entry, shown: Entry): ProductChange {
  const own = Object.entries(shown.values()).filter(([name, value]) => {
    const attribute = known.type.attribute.get(name)
    const isOwn = attribute?.localized === true && !attribute.unversioned
    const isMerged = Object.hasOwn(change.members, name)
    return value !== null && (isOwn || isMerged) && attribute?.type !== 'uid'
  })
  const needed = { name: shown.values()['name'], price: shown.values()['price'] }
  return { ...change, values: { ...needed, ...Object.fromEntries(own), ...change.values } }
}

function isDraftOf({ status }: ProductChange, known: Entry | undefined): boolean {
  return status === 2 || (status === undefined && known?.status === 'draft')
}

function inputOf({ type, store }: Where, { values, members }: ProductChange): EntryInput {
  const locale = type.localized && store.locale !== null ? { locale: store.locale } : {}
  return { values, members, ...locale }
}

/** What is live stays so without what editors have drafted; sending back the status changes nothing. */
function statusFor({ status }: ProductChange, known: Entry): UpdateOptions['status'] {
  const isLive = known.status !== 'draft'
  if (status === 1 && !isLive) return 'publish'
  return status === 2 && isLive ? 'unpublish' : 'both'
}

function besides(options: SaveOptions | undefined, sku: string, created: boolean) {
  const alongside = options?.alongside
  if (!alongside) return undefined
  const also: Alongside<{ readonly id: number }> = (tx, { id }) =>
    alongside(tx, { id, sku, created })
  return also
}

/** What was read before the change is no longer so. */
function isOvertaken(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false
  if (error.kind === 'stale' || error.kind === 'not_found') return true
  return error.kind === 'conflict' && error.issues.some(({ path }) => path[0] === 'sku')
}
