import type { Entry } from '#content'
import { UNSEEN } from '#content-dialect'
import type { ContentType } from '#content-model'
import type { OneQuery } from '#content-query'
import { DomainError, notFound } from '#kernel'
import type { RestContent } from '../deps.ts'
import { splitQuery } from '../query/parameters.ts'
import { parseLocale, parseOne } from '../query/parse.ts'
import { renderRecord } from '../render/entry.ts'
import { type Asked, FIRST, targetOf } from '../request.ts'
import type { Address } from '../target.ts'

/** Looks entries up by what a path says. */
export function createFinder(content: RestContent) {
  return { find, get, current, anyVariant, requireDocument }

  async function find(
    { viewer }: Pick<Asked, 'viewer'>,
    address: Address,
    query: OneQuery,
  ): Promise<Entry | undefined> {
    if (address.kind !== 'single') {
      return content.findOne(viewer, query, targetOf(address, query.locale))
    }
    const found = await content.find(viewer, { ...query, search: '', sort: [], page: FIRST })
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
    const locale = parseLocale(asked.context)
    const query = { type, state: 'working', locale, filter: null, include: [] } as const
    return find({ viewer: UNSEEN }, address, query)
  }

  /** Some entry of the type, in whichever language. */
  async function anyVariant(asked: Asked): Promise<Entry | undefined> {
    const query = { ...variantsOf(asked), search: '', sort: [], page: FIRST }
    return (await content.find(UNSEEN, query)).entries[0]
  }

  /** A translation is added to something that exists. */
  async function requireDocument(asked: Asked, documentId: string): Promise<void> {
    const target = { documentId, locale: null }
    if (await content.findOne(UNSEEN, variantsOf(asked), target)) return
    const at = ['document_id']
    const message = `document_id ${documentId} does not exist`
    throw new DomainError('unprocessable', 'invalid_reference', message, {
      issues: [{ path: at, rule: 'invalid_reference', message }],
    })
  }
}

function variantsOf({ resource: { type } }: Asked): OneQuery {
  return { type, state: 'working', locale: { kind: 'all' }, filter: null, include: [] }
}

/**
 * One live entry as `GET /api/v1/<type>/<id>` shows it to a key of level `read`, for who tells others
 * of it; undefined when there is none.
 */
export async function readEntryText(
  { model, findOne }: Pick<RestContent, 'model' | 'findOne'>,
  { type, id }: { readonly type: ContentType; readonly id: number },
): Promise<string | undefined> {
  const context = {
    model: model(),
    type,
    version: 1,
    parameters: splitQuery('', true).read(),
  } as const
  const { query, view } = parseOne(context)
  const entry = await findOne({ level: 'read' }, query, { id })
  return entry && renderRecord(entry, view)
}
