import type { ContentQuery, Entry, Filter, LocaleChoice } from '#content'
import { DomainError, notFound } from '#kernel'
import type { RestContent } from '../deps.ts'
import { parseLocale } from '../query/locale.ts'
import { type Asked, targetOf } from './request.ts'
import type { Address } from './resource.ts'

type OneQuery = Omit<ContentQuery, 'page' | 'sort' | 'search'>

/** Looks entries up by what a path says. */
export function createFinder(content: RestContent) {
  return { find, get, current, anyVariant, requireDocument }

  async function find(asked: Asked, address: Address, query: OneQuery): Promise<Entry | undefined> {
    if (address.kind !== 'single') {
      return content.findOne(asked.viewer, query, targetOf(address, query.locale))
    }
    const page = { kind: 'offset', start: 0, limit: 1, count: false } as const
    const found = await content.find(asked.viewer, { ...query, search: '', sort: [], page })
    return found.entries[0]
  }

  async function get(asked: Asked, address: Address, query: OneQuery): Promise<Entry> {
    const entry = await find(asked, address, query)
    if (!entry) throw notFound()
    return entry
  }

  /** The working copy alone, for what is decided before a change. */
  function current(asked: Asked, address: Address): Promise<Entry | undefined> {
    const { type } = asked.resource
    const locale: LocaleChoice = parseLocale(asked.context)
    return find(asked, address, { type, state: 'working', locale, filter: null, include: [] })
  }

  /** Some entry that fulfils the filter, in whichever language. */
  async function anyVariant(asked: Asked, filter: Filter | null): Promise<Entry | undefined> {
    const { type } = asked.resource
    const found = await content.find(asked.viewer, {
      ...{ type, state: 'working', locale: { kind: 'all' }, filter, search: '', sort: [] },
      ...{ include: [], page: { kind: 'offset', start: 0, limit: 1, count: false } },
    })
    return found.entries[0]
  }

  /** A translation is added to something that exists. */
  async function requireDocument(asked: Asked, documentId: string): Promise<void> {
    const at = ['document_id']
    const values = [documentId]
    const shared = { kind: 'compare', operator: 'eq', fold: false } as const
    if (await anyVariant(asked, { ...shared, field: 'documentId', values, at })) return
    const message = `document_id ${documentId} does not exist`
    throw new DomainError('unprocessable', 'invalid_reference', message, {
      issues: [{ path: at, rule: 'invalid_reference', message }],
    })
  }
}
