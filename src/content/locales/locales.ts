import type { Alongside, Tx } from '#db'
import { conflict, DomainError, type Issue, invalid, notFound } from '#kernel'
import type { ContentModel, ContentType, Locale } from '../model.ts'
import type { ModelChange, ModelChanges } from '../types/changes.ts'
import { lockTypes, renewDefinitions } from '../types/store.ts'
import type { LocaleChangeBody, NewLocaleBody } from './schemas.ts'
import {
  clearDefault,
  countOfLocale,
  deleteLocale,
  dropFallback,
  insertLocale,
  type LocaleFigures,
  updateLocale,
} from './store.ts'

interface Deps {
  readonly changes: ModelChanges
  readonly dialect: Parameters<typeof lockTypes>[1]
  model(): ContentModel
  touch(tx: Tx, typeNos: readonly number[]): void
  /** Removes some entries of a type in the locale; true while there may be more. */
  removeVariants(type: ContentType, code: string): Promise<boolean>
}

const CODE = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/

/** What callers write for every language: a language of that name could not be asked for, nor removed alone. */
const EVERY = 'all'

/** The languages of the store (content model §7). */
export function createLocales({ changes, dialect, model, touch, removeVariants }: Deps) {
  return { get, create, update, remove }

  function get(code: string): Locale {
    const locale = model().findLocale(code)
    if (!locale) throw notFound('locale')
    return locale
  }

  async function create(
    { code, name, isDefault = false, fallback = null }: NewLocaleBody,
    alongside?: Alongside<void>,
  ): Promise<void> {
    if (!CODE.test(code)) {
      const message = 'code must be a language tag such as en, pt-BR or zh-Hant-TW'
      throw invalid([{ path: ['code'], rule: 'pattern', message }])
    }
    if (code === EVERY) {
      const message = `code must not be ${EVERY}, which stands for every language`
      throw invalid([{ path: ['code'], rule: 'reserved', message }])
    }
    await change(async ({ tx, trx, stored, nowMs }) => {
      if (findIn(stored.locales, code)) {
        throw conflict('conflict', `There is a locale ${code} already`)
      }
      const figures = { code, name, isDefault, fallback: resolve(stored.locales, fallback) }
      refuseLoop([...stored.locales, figures])
      if (isDefault) await clearDefault(trx)
      await insertLocale(trx, figures, nowMs)
      await alongside?.(tx)
    })
  }

  async function update(code: string, body: LocaleChangeBody): Promise<Locale> {
    await change(async ({ trx, stored, nowMs }) => {
      const current = findIn(stored.locales, code)
      if (!current) throw notFound('locale')
      if (body.code !== undefined && body.code !== current.code) throw readOnlyCode()
      if (current.isDefault && body.isDefault === false) throw needsDefault()
      const fallback =
        body.fallback === undefined ? current.fallback : resolve(stored.locales, body.fallback)
      const isDefault = body.isDefault ?? current.isDefault
      const figures = { code: current.code, name: body.name ?? current.name, isDefault, fallback }
      refuseLoop(stored.locales.map((locale) => (locale === current ? figures : locale)))
      if (isDefault && !current.isDefault) await clearDefault(trx)
      await updateLocale(trx, figures, nowMs)
    })
    return get(code)
  }

  /** With force its entries go first, a few at a time; when that is interrupted the locale stays. */
  async function remove(code: string, { force }: { readonly force: boolean }): Promise<void> {
    const locale = get(code)
    if (locale.isDefault) throw needsDefault()
    if (force) await removeEntries(locale)
    await change(async ({ trx, stored, nowMs }) => {
      const current = findIn(stored.locales, code)
      if (!current) throw notFound('locale')
      if (current.isDefault) throw needsDefault()
      const inLocales = stored.types.filter(
        ({ definition, changing }) => definition.localized || changing?.locale === current.code,
      )
      const typeNos = inLocales.map(({ no }) => no)
      await lockTypes(trx, dialect, typeNos)
      const entries = await countOfLocale(trx, current.code, typeNos)
      if (entries > 0) {
        const message = `${entries} entries are in this locale; repeat it with force=true to remove them`
        throw conflict('locale_in_use', message, { entries })
      }
      await dropFallback(trx, current.code)
      await deleteLocale(trx, current.code)
      // Entries that are just being made in it would be in no language. A change of a type renews it in the end.
      const settled = inLocales.filter(({ changing }) => changing === null)
      await renewDefinitions(trx, settled, nowMs)
    })
  }

  async function removeEntries({ code }: Locale) {
    for (const type of model().types.filter(({ localized }) => localized)) {
      while (await removeVariants(type, code));
    }
  }

  function change(work: (change: ModelChange) => Promise<void>): Promise<void> {
    return changes.change(async (opened) => {
      await work(opened)
      touch(
        opened.tx,
        opened.stored.types.map(({ no }) => no),
      )
    })
  }
}

export type Locales = ReturnType<typeof createLocales>

type Chained = Pick<LocaleFigures, 'code' | 'fallback'>

function findIn(locales: readonly Locale[], code: string): Locale | undefined {
  const wanted = code.toLowerCase()
  return locales.find((locale) => locale.code.toLowerCase() === wanted)
}

/** The fallback as the other locale spells itself. */
function resolve(locales: readonly Locale[], fallback: string | null): string | null {
  if (fallback === null) return null
  const found = findIn(locales, fallback)
  if (!found) throw invalid([fallbackIssue('unknown_locale', `names no locale: ${fallback}`)])
  return found.code
}

function refuseLoop(locales: readonly Chained[]): void {
  const next = new Map(locales.map(({ code, fallback }) => [code, fallback]))
  for (const { code } of locales) {
    const seen = new Set([code])
    for (let at = next.get(code); at; at = next.get(at)) {
      if (seen.has(at)) throw invalid([fallbackIssue('loop', 'leads back to the locale itself')])
      seen.add(at)
    }
  }
}

function fallbackIssue(rule: string, sentence: string): Issue {
  return { path: ['fallback'], rule, message: `fallback ${sentence}` }
}

function readOnlyCode(): DomainError {
  const message = 'code cannot be changed; add another locale instead'
  const issues = [{ path: ['code'], rule: 'read_only_field', message }]
  return new DomainError('invalid', 'read_only_field', message, { issues })
}

function needsDefault(): DomainError {
  return conflict('default_locale', 'There is always a default locale; make another one it first')
}
