import type { Condition, Operator, Question, Value } from './questions.ts'

/** What an answer shows, in order; `ids` are numbers or document ids. */
export interface Found {
  readonly ids: readonly string[]
  readonly total: number
}

interface Asker {
  readonly name: string
  /** Absent: whatever there is. */
  canAsk?(question: Question): boolean
  readonly ask: {
    url(question: Question): string
    // biome-ignore lint/suspicious/noExplicitAny: answers of all shapes
    read(body: any): Found
  }
}

interface Identified {
  readonly id: string | number
}

/** A question as the URL of each dialect, without a key. */
export const askers: readonly Asker[] = [
  {
    name: 'CMS REST',
    ask: {
      url: ({ conditions, sort, page, size }) =>
        query('/api/things', [
          ...conditions.flatMap((each, n) => operatorPairs(`filters[$and][${n}]`, each)),
          ...(sort ? [[`sort[0]`, `${sort.field}:${sort.order}`] as const] : []),
          ['pagination[start]', (page - 1) * size],
          ['pagination[limit]', size],
        ]),
      read: ({ data, meta }) => ({ ids: idsOf(data), total: meta.pagination.total }),
    },
  },
  {
    name: 'JSON:API',
    ask: {
      url: ({ conditions, sort, page, size }) =>
        query('/jsonapi/node/thing', [
          ...conditions.flatMap(jsonApiPairs),
          ...(sort ? [['sort', `${sort.order === 'desc' ? '-' : ''}${sort.field}`] as const] : []),
          ['page[offset]', (page - 1) * size],
          ['page[limit]', size],
        ]),
      read: ({ data, meta }) => ({ ids: idsOf(data), total: meta.count }),
    },
  },
  {
    name: 'content delivery',
    ask: {
      url: ({ conditions, sort, page, size }) =>
        query('/cms/delivery/api/v2/content', [
          ['filter', 'contentType:thing'],
          ...conditions.map((each) => ['filter', deliveryFilter(each)] as const),
          ...(sort ? [['sort', `${deliveryName(sort.field)}:${sort.order}`] as const] : []),
          ['skip', (page - 1) * size],
          ['take', size],
        ]),
      read: ({ items, total }) => ({ ids: idsOf(items), total }),
    },
  },
  {
    name: '/api/v1',
    ask: {
      url: ({ conditions, sort, page, size }) =>
        query('/api/v1/things', [
          ...conditions.flatMap((each, n) => operatorPairs(`filters[$and][${n}]`, each)),
          ...(sort ? [['sort', sort.field] as const, ['order', sort.order] as const] : []),
          ['page', page],
          ['per_page', size],
        ]),
      read: ({ data, meta }) => ({ ids: idsOf(data), total: meta.total }),
    },
  },
  {
    name: 'GraphQL as CMS',
    ask: {
      url: (question) =>
        graphql(
          '/graphql',
          `query ($filter: ThingFiltersInput, $sort: [String], $start: Int, $limit: Int) {
            things(filters: $filter, sort: $sort, pagination: { start: $start, limit: $limit }) {
              data { id } meta { pagination { total } } } }`,
          question,
        ),
      read: ({ data: { things } }) => ({
        ids: idsOf(things.data),
        total: things.meta.pagination.total,
      }),
    },
  },
  {
    name: 'GraphQL by offset',
    ask: {
      url: (question) =>
        graphql(
          '/graphql/offset',
          `query ($filter: ThingFilter, $sort: String, $start: Int, $limit: Int) {
            things(filter: $filter, sort: $sort, offset: $start, limit: $limit) { items { id } total } }`,
          question,
        ),
      read: ({ data: { things } }) => ({ ids: idsOf(things.items), total: things.total }),
    },
  },
  {
    name: 'commerce',
    // In its patterns these stand for other characters, always.
    canAsk: ({ conditions }) => !conditions.some(({ values }) => values.some(isPattern)),
    ask: {
      url: ({ conditions, sort, page, size }) =>
        query('/rest/V1/products', [
          ...criteriaPairs([{ field: 'status', type: 'eq', value: 1 }], 0),
          ...conditions.flatMap((each, n) => criteriaPairs(commerceFilters(each), n + 1)),
          ...(sort
            ? [
                ['searchCriteria[sortOrders][0][field]', sort.field] as const,
                ['searchCriteria[sortOrders][0][direction]', sort.order] as const,
              ]
            : []),
          ['searchCriteria[currentPage]', page],
          ['searchCriteria[pageSize]', size],
        ]),
      read: ({ items, total_count: total }) => ({ ids: idsOf(items), total }),
    },
  },
]

interface CommerceFilter {
  readonly field: string
  readonly type: string
  readonly value: Value
}

function isPattern(value: Value): boolean {
  return typeof value === 'string' && /[%_]/.test(value)
}

const COMMERCE: Readonly<Record<Operator, string>> = {
  ...{ eq: 'eq', ne: 'neq', lt: 'lt', lte: 'lteq', gt: 'gt', gte: 'gteq' },
  ...{ in: 'in', notIn: 'nin', contains: 'like' },
}

/** One of a group must hold. Texts are compared without regard to case by patterns alone. */
function commerceFilters({ field, operator, values }: Condition): readonly CommerceFilter[] {
  const [first = ''] = values
  if (operator === 'contains') return [{ field, type: 'like', value: `%${first}%` }]
  if (field === 'mood' && (operator === 'eq' || operator === 'in')) {
    return values.map((value) => ({ field, type: 'like', value }))
  }
  if (field === 'mood' && values.length === 1) return [{ field, type: 'nlike', value: first }]
  if (field === 'mood') return [{ field, type: 'nin', value: everyCase(values).join(',') }]
  return [{ field, type: COMMERCE[operator], value: values.join(',') }]
}

function everyCase(values: readonly Value[]): readonly string[] {
  return values.flatMap((value) => {
    const text = String(value)
    const lower = text.toLowerCase()
    return [text, lower, text.toUpperCase(), `${lower[0]?.toUpperCase()}${lower.slice(1)}`]
  })
}

function criteriaPairs(filters: readonly CommerceFilter[], group: number): readonly Pair[] {
  return filters.flatMap(({ field, type, value }, at) => {
    const name = `searchCriteria[filterGroups][${group}][filters][${at}]`
    return [
      [`${name}[field]`, field],
      [`${name}[value]`, value],
      [`${name}[conditionType]`, type],
    ] as const
  })
}

function graphql(
  path: string,
  document: string,
  { conditions, sort, page, size }: Question,
): string {
  const and = conditions.map(({ field, operator, values }) => {
    const isText = field === 'mood' || field === 'title'
    const name = (isText && FOLDED[operator]?.slice(1)) || operator
    const isList = operator === 'in' || operator === 'notIn'
    return { [field]: { [name]: isList ? values : values[0] } }
  })
  const variables = {
    filter: { and },
    sort: sort ? `${sort.field}:${sort.order}` : null,
    ...{ start: (page - 1) * size, limit: size },
  }
  return query(path, [
    ['query', document],
    ['variables', JSON.stringify(variables)],
  ])
}

type Pair = readonly [name: string, value: Value]

function query(path: string, pairs: readonly Pair[]): string {
  const written = pairs.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  return `${path}?${written.join('&')}`
}

function idsOf(data: readonly Identified[]): readonly string[] {
  return data.map(({ id }) => String(id))
}

/** The operators of CMS REST §4.1 that ignore case, where there are any. */
const FOLDED: Readonly<Partial<Record<Operator, string>>> = {
  ...{ eq: '$eqi', ne: '$nei', in: '$ini', notIn: '$notIni', contains: '$containsi' },
}

function operatorPairs(at: string, { field, operator, values }: Condition): readonly Pair[] {
  const isText = field === 'mood' || field === 'title'
  const name = `${at}[${field}][${(isText && FOLDED[operator]) || `$${operator}`}]`
  if (operator !== 'in' && operator !== 'notIn') return [[name, values[0] ?? '']]
  return values.map((value, n) => [`${name}[${n}]`, value])
}

const JSON_API: Readonly<Record<Operator, string>> = {
  ...{ eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' },
  ...{ in: 'IN', notIn: 'NOT IN', contains: 'CONTAINS' },
}

function jsonApiPairs({ field, operator, values }: Condition, n: number): readonly Pair[] {
  const at = `filter[c${n}][condition]`
  const isList = operator === 'in' || operator === 'notIn'
  return [
    [`${at}[path]`, field],
    [`${at}[operator]`, JSON_API[operator]],
    ...values.map((value): Pair => {
      const shown = typeof value === 'boolean' ? Number(value) : value
      return [isList ? `${at}[value][]` : `${at}[value]`, shown]
    }),
  ]
}

const DELIVERY: Readonly<Record<Operator, string>> = {
  ...{ eq: ':', in: ':', contains: ':', ne: ':!', notIn: ':!' },
  ...{ lt: '<', lte: '<:', gt: '>', gte: '>:' },
}

function deliveryFilter({ field, operator, values }: Condition): string {
  const quoted = values.map((value) =>
    typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value),
  )
  return `${deliveryName(field)}${DELIVERY[operator]}${quoted.join(',')}`
}

/** The title names a thing. */
function deliveryName(field: string): string {
  return field === 'title' ? 'name' : `properties.${field}`
}
