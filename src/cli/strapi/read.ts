import { isObject, OperatorError } from '#kernel'
import { messageOf, type Peer } from './http.ts'
import type { Json, SourceType } from './schema.ts'

/** More ids in one query make a URL that some proxies refuse. */
const PAGE = 50

export interface Locale {
  readonly code: string
  readonly name: string
  readonly isDefault: boolean
}

/** A language variant: what its editors see, and what everybody sees, if that is anything. */
export interface SourceEntry {
  readonly documentId: string
  readonly working: Json
  readonly live: Json | undefined
}

/**
 * Reads entries by rising ids, so that none is missed while others are written: what is saved anew meanwhile has a
 * higher id and comes again.
 */
export function createReader(source: Peer) {
  return { locales, count, pages, entries, files }

  async function locales(): Promise<readonly Locale[]> {
    const answer = await source.get('/api/i18n/locales')
    // Projects without the plugin have one language.
    if (answer.status === 404) return []
    return rowsOf(answer, '/api/i18n/locales').map(({ code, name, isDefault }) => {
      return { code: String(code), name: String(name ?? code), isDefault: isDefault === true }
    })
  }

  /** How many variants there are in a language; null: of a type that has none. */
  async function count(type: SourceType, locale: string | null): Promise<number> {
    if (type.isSingle) return (await single(type, locale, 'draft', [])) ? 1 : 0
    const path = pathOf(type, locale, 'draft', ['pagination[limit]=1', 'fields[0]=documentId'])
    const answer = await answered(path)
    // Another version shows itself before anything is written.
    rowsOf(answer, path).forEach(checked)
    const { body } = answer
    const meta = isObject(body) && isObject(body['meta']) ? body['meta']['pagination'] : undefined
    return isObject(meta) ? Number(meta['total']) : 0
  }

  /** Working copies, or only what is live, page by page. */
  async function* pages(
    type: SourceType,
    locale: string | null,
    status: 'draft' | 'published',
    parameters: readonly string[],
  ): AsyncGenerator<readonly Json[]> {
    if (type.isSingle) {
      const record = await single(type, locale, status, parameters)
      if (record) yield [record]
      return
    }
    let last = 0
    for (;;) {
      const asked = [`filters[id][$gt]=${last}`, 'sort=id', `pagination[limit]=${PAGE}`]
      const path = pathOf(type, locale, status, [...asked, ...parameters])
      const records = rowsOf(await answered(path), path)
      if (records.length === 0) return
      yield records.map(checked)
      last = Number(records.at(-1)?.['id'])
      if (!Number.isSafeInteger(last)) throw new OperatorError(`${path} shows entries without id`)
    }
  }

  /** The same with what is live beside each. */
  async function* entries(
    type: SourceType,
    locale: string | null,
    parameters: readonly string[],
  ): AsyncGenerator<readonly SourceEntry[]> {
    for await (const page of pages(type, locale, 'draft', parameters)) {
      const live = type.hasDrafts ? await liveOf(type, locale, page, parameters) : new Map()
      yield page.map((working) => {
        const documentId = String(working['documentId'])
        return { documentId, working, live: live.get(documentId) }
      })
    }
  }

  async function liveOf(
    type: SourceType,
    locale: string | null,
    page: readonly Json[],
    parameters: readonly string[],
  ): Promise<Map<string, Json>> {
    const found = type.isSingle
      ? [await single(type, locale, 'published', parameters)]
      : rowsOf(await answered(liveBeside(page)), liveBeside(page))
    return new Map(found.flatMap((each) => (each ? [[String(each['documentId']), each]] : [])))

    function liveBeside(some: readonly Json[]): string {
      const ids = some.map((each, at) => `filters[documentId][$in][${at}]=${each['documentId']}`)
      const asked = [...ids, 'sort=id', `pagination[limit]=${PAGE}`]
      return pathOf(type, locale, 'published', [...asked, ...parameters])
    }
  }

  async function single(
    type: SourceType,
    locale: string | null,
    status: string,
    parameters: readonly string[],
  ): Promise<Json | undefined> {
    const path = pathOf(type, locale, status, parameters)
    const answer = await source.get(path)
    if (answer.status === 404) return undefined
    const data = answer.status === 200 && isObject(answer.body) ? answer.body['data'] : undefined
    if (data === null) return undefined
    if (isObject(data)) return checked(data)
    throw refused(answer, path)
  }

  /** All files; the list of older versions has no pages, and then the first one is all. */
  async function* files(): AsyncGenerator<readonly Json[]> {
    let last = 0
    for (;;) {
      const path = `/api/upload/files?filters[id][$gt]=${last}&sort=id&pagination[limit]=${PAGE}`
      const records = rowsOf(await answered(path), path).filter(({ id }) => Number(id) > last)
      if (records.length === 0) return
      yield records
      last = Math.max(...records.map(({ id }) => Number(id)))
    }
  }

  async function answered(path: string) {
    const answer = await source.get(path)
    if (answer.status !== 200) throw refused(answer, path)
    return answer
  }

  function refused(answer: Awaited<ReturnType<Peer['get']>>, path: string): OperatorError {
    const [short] = path.split('?', 1)
    const next = [401, 403].includes(answer.status)
      ? ': use a token of type "Full access" (Settings → API Tokens)'
      : ''
    return new OperatorError(`${source.url}${short} ${messageOf(answer)}${next}`)
  }

  function rowsOf(answer: Awaited<ReturnType<Peer['get']>>, path: string): readonly Json[] {
    const { body } = answer
    const list = isObject(body) ? body['data'] : body
    if (answer.status === 200 && Array.isArray(list)) return list.filter(isObject)
    throw refused(answer, path)
  }
}

export type Reader = ReturnType<typeof createReader>

function pathOf(
  { isSingle, singularName, pluralName, hasDrafts }: SourceType,
  locale: string | null,
  status: string,
  parameters: readonly string[],
): string {
  const all = [
    // Of types without drafts, too: whether related drafts are shown follows it.
    `status=${hasDrafts ? status : 'draft'}`,
    ...(locale === null ? [] : [`locale=${locale}`]),
    ...parameters,
  ]
  return `/api/${isSingle ? singularName : pluralName}?${all.join('&')}`
}

function checked(record: Json): Json {
  if (typeof record['documentId'] === 'string') return record
  throw new OperatorError(
    'The entries have no documentId: this is Strapi 4. Bring the project to Strapi 5 first, with "npx @strapi/upgrade major" on a copy of it',
  )
}
