import { type WireKind, wireKindOf } from '#content'
import { type Attribute, type ContentType, isScalar } from '#content-model'
import { type Schema, TEXT } from '#content-openapi'
import { LIST_PARAMETERS } from '../../query/filters.ts'
import { isReference, visibleAttributes } from '../../query/members.ts'

interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

const COUNT: Schema = { type: 'integer', minimum: 1 }

/** Parameters that all content operations share, defined once and referred to. */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = {
  page: query('page', COUNT, 'From 1'),
  per_page: query('per_page', COUNT, 'At most 100'),
  count: query('count', { type: 'boolean' }, 'false leaves out the total'),
  cursor: query('cursor', TEXT, 'Empty for the first page'),
  after_id: query('after_id', { type: 'integer' }, 'Records after this id'),
  before_id: query('before_id', { type: 'integer' }, 'Records before this id'),
  limit: query('limit', COUNT, 'Size of a page by id, at most 100'),
  order: query('order', { type: 'string', enum: ['asc', 'desc'] }),
  q: query('q', TEXT, 'Text to search for'),
  sort: query(
    'sort',
    TEXT,
    'id, created_at, updated_at, published_at, an attribute or author.name',
  ),
  include: query('include', TEXT, 'Relations and media to show, comma-separated'),
  fields: query('fields', TEXT, 'Members to show, comma-separated'),
  locale: query('locale', TEXT, 'A language or all'),
  fallback_locale: query('fallback_locale', TEXT, 'A language or auto'),
  status: query('status', { type: 'string', enum: ['published', 'draft', 'changed', 'all'] }),
  id: { name: 'id', in: 'path', required: true, schema: TEXT, description: 'id or document id' },
  if_match: { name: 'If-Match', in: 'header', schema: TEXT },
  idempotency_key: { name: 'Idempotency-Key', in: 'header', schema: TEXT },
}

/** The list parameters of a type: the shared ones, and filters by its own attributes. */
export function listParameters(type: ContentType): Schema[] {
  const names = [...LIST_PARAMETERS, ...(type.draftAndPublish ? ['status'] : [])]
  const shared = names.filter((name) => type.localized || !name.endsWith('locale'))
  const own = visibleAttributes(type).flatMap((attribute) => filterOf(attribute))
  const times = ['created_after', 'created_before', 'updated_after', 'updated_before']
  const plain = [...own, ...times].filter((name) => !names.includes(name))
  return [...refs(...shared), ...plain.map((name) => ({ ...query(name, TEXT) }))]
}

/** What no parameter of its own asks for. */
const UNNAMED: readonly WireKind[] = ['json', 'link', 'blocks']

function filterOf(attribute: Attribute): string[] {
  if (isScalar(attribute)) return UNNAMED.includes(wireKindOf(attribute)) ? [] : [attribute.name]
  return attribute.type === 'relation' && isReference(attribute) ? [`${attribute.name}_id`] : []
}

export function refs(...names: readonly string[]): Schema[] {
  return names.map((name) => ({ $ref: `#/components/parameters/content.${name}` }))
}

function query(name: string, schema: Schema, description?: string): Parameter {
  return { name, in: 'query', schema, ...(description ? { description } : {}) }
}
