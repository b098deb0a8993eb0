import type { Dice } from '../content-query/random.ts'
import { FIELDS } from './model.ts'

/** Questions that differ in one value; what the value is stands in the URL as it is. */
export interface Template {
  readonly dialect: 'cms' | 'jsonapi' | 'delivery' | 'rest' | 'graphql'
  url(value: string): string
  /** Two values that are answered, so that whatever can be learnt from them is. */
  readonly values: readonly [string, string]
}

/** Of the same spelling as those that templates are warmed with, and for some fields no values at all. */
const NEAR_VALUES: readonly string[] = ['7', '2', '9', 'q', 'x', '-']

/** One of the same spelling half of the time, else any. */
export function pickValue(dice: Dice): string {
  return dice.pick(dice.chance(0.5) ? NEAR_VALUES : ODD_VALUES)
}

/** Valid somewhere and invalid elsewhere, in every spelling that a URL may have. */
const ODD_VALUES: readonly string[] = [
  ...['7', '0', '1', '', 'null', 'undefined', 'true', 'TRUE', 'false', 't', 'f', 'on', 'yes'],
  ...['007', '-0', '-7', '+7', '%2B7', '%207', '7%20', '7.0', '7.', '.7', '7e0', '1e3', '0x7'],
  ...['9007199254740993', '-9223372036854775809', '1e999', 'NaN', 'Infinity', '0.1', '0,1'],
  ...['x'.repeat(300), '7'.repeat(300), '%37', 'a', 'A', 'ab', 'AB', 'Las%20Vegas', 'Las+Vegas'],
  ...['%C4%B0', '%C3%A9', 'e%CC%81', '%F0%9F%98%80', '%E6%BC%A2', '%', '%25', '_', '%5C', '%22'],
  ...['%27', '%00', '%0A', '%E0%A4%A', '%ED%A0%80', '%7B%7D', '%5B%5D', '%5B7%5D', '7,0', ',', '*'],
  ...['2026-01-02', '2026-02-30', '2026-1-2', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05'],
  ...['03:04:05', '3:4', '24:00:00', 'a@example.org', 'las-vegas', 'en', 'de', 'EN', 'all', 'id'],
  ...['label', '-whole', 'label:desc', 'maker', 'safe', 'properties%5B$all%5D', 'maker.name'],
  ...['published', 'draft', 'live', 'preview', 'rel:working-copy', '00000000-0000-4000-8000-0'],
]

const BRACKETED = [
  ...['$eq', '$eqi', '$ne', '$nei', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn', '$ini'],
  ...['$notIni', '$contains', '$notContains', '$containsi', '$notContainsi', '$startsWith'],
  ...['$startsWithi', '$endsWith', '$endsWithi', '$between', '$null', '$notNull'],
]
const CONDITIONS = [
  ...['=', '<>', '>', '>=', '<', '<=', 'STARTS_WITH', 'CONTAINS', 'ENDS_WITH', 'IN', 'NOT IN'],
  ...['BETWEEN', 'NOT BETWEEN', 'IS NULL', 'IS NOT NULL'],
]
const SIGNS = [':', ':!', '>', '>:', '<', '<:']

const NODES = '/jsonapi/node/thing'
const DELIVERED = '/cms/delivery/api/v2/content'
const ID: Template['values'] = ['1', '2']
const TIME: Template['values'] = ['2026-01-02T03:04:05Z', '2026-01-03']

/** What filters can name besides attributes, and through relations. */
const MORE_FIELDS: Readonly<Record<string, Template['values']>> = {
  ...{ id: ID, createdAt: TIME, updatedAt: TIME, publishedAt: TIME, locale: ['en', 'de'] },
  ...{ documentId: ['a', 'b'], 'maker.name': ['a', 'b'], 'maker.rank': ['0', '1'] },
  ...{ 'safe.rank': ['0', '1'], 'size.width': ['0', '1'], 'labels.id': ID, nothing: ['0', '1'] },
}

const ALL_FIELDS: readonly (readonly [name: string, values: Template['values']])[] = [
  ...Object.entries(FIELDS).map(([name, { values }]) => [name, values] as const),
  ...Object.entries(MORE_FIELDS),
]

/** All templates of all dialects: every field with every operator, then every other parameter. */
export function allTemplates(): readonly Template[] {
  return [
    ...ALL_FIELDS.flatMap(([name, values]) => [
      ...bracketed('cms', '/api/things?populate=maker&', name, values),
      ...bracketed('rest', '/api/v1/things?include=maker&', name, values),
      {
        dialect: 'rest',
        url: (value: string) => `/api/v1/things?sort=id&${name}=${value}`,
        values,
      } as const,
      ...conditions(name, values),
      ...delivered(name, values),
    ]),
    ...GRAPHQL_KINDS.flatMap(([name, input, isText]) => graphqlFilters(name, input, isText)),
    ...graphqlArguments(),
    ...parameters('cms', '/api/things?', CMS_PARAMETERS),
    ...parameters('rest', '/api/v1/things?', REST_PARAMETERS),
    ...parameters('jsonapi', `${NODES}?`, JSONAPI_PARAMETERS),
    ...parameters('delivery', `${DELIVERED}?filter=contentType:thing&`, DELIVERY_PARAMETERS),
    ...parameters('delivery', `${DELIVERED}?`, { filter: ['contentType:thing', 'name:a'] }),
    ...parameters('delivery', `${DELIVERED}/items?`, { id: ['a', 'b'], 'id=a&id': ['b', 'c'] }),
    ...parameters('delivery', '/cms/delivery/api/v2/media?', MEDIA_PARAMETERS),
    ...parameters('rest', '/api/upload/files?', CMS_FILE_PARAMETERS),
    ...parameters('jsonapi', '/jsonapi/file/file?', JSONAPI_FILE_PARAMETERS),
    ...parameters('jsonapi', '/jsonapi/media/image?', { 'filter[name]': ['a', 'b'] }),
    ...parameters('rest', '/api/v1/things/1/labels?', {
      page: ID,
      q: ['a', 'b'],
      rank: ID,
      sort: ['name', 'rank'],
    }),
    { dialect: 'cms', url: (value) => `/api/things/${value}?populate=maker`, values: ID },
    { dialect: 'rest', url: (value) => `/api/v1/things/${value}`, values: ID },
    { dialect: 'jsonapi', url: (value) => `${NODES}/${value}`, values: ID },
    { dialect: 'delivery', url: (value) => `${DELIVERED}/item/${value}`, values: ['a', 'las'] },
  ]
}

const GRAPHQL_KINDS: readonly (readonly [field: string, input: string, isText: boolean])[] = [
  ...(['label', 'note', 'mail', 'grade', 'words'] as const).map(
    (name) => [name, 'String', true] as const,
  ),
  ...[['whole', 'Int', false] as const, ['big', 'Long', true] as const],
  ...[['ratio', 'Float', false] as const, ['price', 'Float', false] as const],
  ...[
    ['day', 'Date', true] as const,
    ['moment', 'DateTime', true] as const,
    ['hour', 'Time', true] as const,
  ],
]

/** The value once as a variable and once in the document, which has a text of its own then. */
function graphqlFilters(name: string, input: string, isText: boolean): readonly Template[] {
  const values = FIELDS[name]?.values ?? ID
  const quote = isText ? '%22' : ''
  const shown = encodeURIComponent('{data{id attributes{label maker{data{attributes{name}}}}}}')
  return ['eq', 'ne', 'lt', 'in', 'containsi'].flatMap((operator): Template[] => [
    {
      dialect: 'graphql',
      url: (value) =>
        `/graphql?query=query($v:${input}){things(filters:%7B${name}:%7B${operator}:$v%7D%7D)${shown}}&variables=%7B%22v%22:${quote}${value}${quote}%7D`,
      values,
    },
    {
      dialect: 'graphql',
      url: (value) =>
        `/graphql?query=%7Bthings(filters:%7B${name}:%7B${operator}:${quote}${value}${quote}%7D%7D)${shown}%7D`,
      values,
    },
  ])
}

function graphqlArguments(): readonly Template[] {
  const of = (path: string, document: string): Template['url'] => {
    const [start = '', end = ''] = document.split('VALUE').map(encodeURIComponent)
    return (value) => `/graphql${path}?query=${start}${value}${end}`
  }
  const numbers = { dialect: 'graphql', values: ID } as const
  return [
    {
      ...numbers,
      url: of(
        '',
        '{things(pagination:{page:VALUE pageSize:2}){data{id}meta{pagination{total pageCount}}}}',
      ),
    },
    { ...numbers, url: of('', '{things(pagination:{limit:VALUE}){data{id}}}') },
    { ...numbers, url: of('', '{thing(id:"VALUE"){data{id}}}') },
    { ...numbers, url: of('', '{things(sort:"VALUE"){data{id}}}'), values: ['label', 'id:desc'] },
    { ...numbers, url: of('', '{things(locale:"VALUE"){data{id}}}'), values: ['en', 'de'] },
    {
      ...numbers,
      url: of('', '{things{data{attributes{labels(pagination:{limit:VALUE}){data{id}}}}}}'),
    },
    { ...numbers, url: of('/offset', '{things(limit:VALUE){items{id}total hasNextPage}}') },
    { ...numbers, url: of('/offset', '{things(filter:{makerId:"VALUE"}){items{id makerId}}}') },
    { ...numbers, url: of('/offset', '{things{items{labels(offset:VALUE){items{id}total}}}}') },
    {
      ...numbers,
      url: of('/connection', '{things(first:VALUE){edges{cursor node{id}}pageInfo{hasNextPage}}}'),
    },
    { ...numbers, url: of('/connection', '{things(last:VALUE){edges{node{id}}totalCount}}') },
    {
      ...numbers,
      url: of('/connection', '{things{edges{node{labels(last:VALUE){edges{cursor}totalCount}}}}}'),
    },
  ]
}

function bracketed(
  dialect: Template['dialect'],
  start: string,
  name: string,
  values: Template['values'],
): readonly Template[] {
  const path = name
    .split('.')
    .map((part) => `[${part}]`)
    .join('')
  const at = `${start}filters${path}`
  return [
    { dialect, url: (value) => `${at}=${value}`, values },
    // Values among others, in lists, and below words that are no operators.
    {
      dialect,
      url: (value) => `${at}[$in][0]=${values[0]}&filters${path}[$in][1]=${value}`,
      values,
    },
    { dialect, url: (value) => `${at}[$not][$eq]=${value}`, values },
    {
      dialect,
      url: (value) =>
        `${start}filters[$or][0]${path}[$ne]=${values[0]}&filters[$or][1]${path}[$lt]=${value}`,
      values,
    },
    ...BRACKETED.map((operator) => ({
      dialect,
      url: (value: string) =>
        operator === '$between'
          ? `${at}[${operator}][0]=${values[0]}&${at.slice(start.length)}[${operator}][1]=${value}`
          : `${at}[${operator}]=${value}`,
      values,
    })),
  ]
}

function conditions(name: string, values: Template['values']): readonly Template[] {
  const at = 'filter[c][condition]'
  const short: Template = {
    dialect: 'jsonapi',
    url: (value) => `${NODES}?include=maker&filter[${name}]=${value}`,
    values,
  }
  const long = CONDITIONS.map((operator): Template => {
    const start = `${NODES}?include=maker&${at}[path]=${name}&${at}[operator]=${encodeURIComponent(operator)}`
    const between = operator.endsWith('BETWEEN') ? `&${at}[value][]=${values[0]}` : ''
    const member = /BETWEEN|IN$/.test(operator) ? 'value][' : 'value'
    return {
      dialect: 'jsonapi',
      url: (value) => `${start}${between}&${at}[${member}]=${value}`,
      values,
    }
  })
  const grouped: Template = {
    dialect: 'jsonapi',
    url: (value) =>
      `${NODES}?filter[g][group][conjunction]=OR&${at}[path]=${name}&${at}[memberOf]=g&${at}[value]=${values[0]}&filter[d][condition][path]=${name}&filter[d][condition][memberOf]=g&filter[d][condition][value]=${value}`,
    values,
  }
  return [short, grouped, ...long]
}

const MEMBERS: ReadonlyMap<string, string> = new Map([
  ...[['label', 'name'] as const, ['id', 'id'] as const],
  ...[['createdAt', 'createDate'] as const, ['updatedAt', 'updateDate'] as const],
])

function delivered(name: string, values: Template['values']): readonly Template[] {
  const field = MEMBERS.get(name) ?? `properties.${name}`
  const start = `${DELIVERED}?expand=properties[maker]&filter=contentType:thing&filter=${field}`
  const bare = SIGNS.map((sign): Template => {
    return {
      dialect: 'delivery',
      url: (value) => `${start}${encodeURIComponent(sign)}${value}`,
      values,
    }
  })
  return [
    ...bare,
    { dialect: 'delivery', url: (value) => `${start}%3A%22${value}%22`, values },
    { dialect: 'delivery', url: (value) => `${start}%3A!${values[0]},${value}`, values },
  ]
}

type Parameters = Readonly<Record<string, Template['values']>>

function parameters(
  dialect: Template['dialect'],
  start: string,
  named: Parameters,
): readonly Template[] {
  return Object.entries(named).map(([name, values]) => ({
    dialect,
    url: (value) => `${start}${name}=${value}`,
    values,
  }))
}

const CMS_PARAMETERS: Parameters = {
  ...{ _q: ['7', 'as'], sort: ['id', 'whole'], fields: ['label', 'whole'] },
  ...{ populate: ['maker', 'labels'], locale: ['en', 'de'], publicationState: ['live', 'preview'] },
  ...{ status: ['published', 'draft'], 'pagination[page]': ID, 'pagination[pageSize]': ID },
  ...{ 'pagination[start]': ID, 'pagination[limit]': ID, 'pagination[withCount]': ['0', '1'] },
  ...{ after_id: ID, before_id: ID, limit: ID, 'populate[labels][limit]': ID },
  ...{ 'populate[labels][start]': ID, 'populate[labels][filters][rank][$gte]': ['0', '1'] },
  ...{ 'populate[parts][on][default.made][populate]': ['maker', '*'] },
  ...{ 'populate[parts][populate]': ['maker', '*'], 'populate[labels][count]': ['true', 'false'] },
  ...{ 'populate[labels][sort]': ['name', 'rank'], 'populate[maker][fields]': ['name', 'rank'] },
  ...{ 'populate[maker][filters][name][$containsi]': ['a', 'b'], unknown: ID },
  // Names that have a text and names inside them.
  ...{
    'filters[label]=ab&filters[label][$eq]': ['a', 'b'],
    'sort[label]=asc&sort': ['id', 'whole'],
  },
  ...{
    'filters[label][$eq]=ab&filters[label]': ['a', 'b'],
    'filters[whole][]': ID,
    filters: ['a', 'b'],
  },
  ...{
    'pagination[page]=1&pagination': ['a', ''],
    '_q=a&_q': ['a', 'b'],
    'fields[0]': ['label', 'id'],
  },
  ...{ 'populate[labels][filters]': ['a', ''], 'populate[filters][fields]': ['a', 'b'] },
}

const REST_PARAMETERS: Parameters = {
  ...{ q: ['7', 'as'], sort: ['id', 'whole'], order: ['asc', 'desc'], include: ['maker', 'safe'] },
  ...{ fields: ['label', 'whole'], locale: ['en', 'de'], page: ID, per_page: ID },
  ...{ count: ['true', 'false'], after_id: ID, before_id: ID, limit: ID, status: ['draft', 'all'] },
  ...{ whole: ['0', '1'], flag: ['0', '1'], label: ['a', 'b'], maker_id: ID, tag_id: ID },
  ...{ cursor: ['a', 'b'], unknown: ID, created_after: TIME, updated_before: TIME },
  ...{ 'q=a&q': ['a', 'b'], 'page=1&page': ID, 'filters[whole]=1&filters': ['a', ''] },
  ...{
    'sort=label&per_page=1&cursor': ['', 'a'],
    document_id: ['a', 'b'],
    safe_id: ID,
    filters: ID,
  },
}

const CMS_FILE_PARAMETERS: Parameters = {
  ...{ _q: ['a', 'b'], 'filters[name][$eq]': ['a', 'b'], 'filters[size][$gt]': ['0', '1'] },
  ...{ 'pagination[page]': ID, start: ID, limit: ID, sort: ['name', 'id'] },
}

const JSONAPI_FILE_PARAMETERS: Parameters = {
  ...{
    'filter[filename]': ['a', 'b'],
    'filter[filesize]': ID,
    'page[offset]': ID,
    sort: ['filename', 'id'],
  },
  ...{ 'filter[created]': TIME, 'page[limit]': ID },
}

const MEDIA_PARAMETERS: Parameters = {
  ...{
    filter: ['name:a', 'mediaType:image'],
    skip: ID,
    take: ID,
    fetch: ['children:/', 'children:a'],
  },
}

const JSONAPI_PARAMETERS: Parameters = {
  ...{ include: ['maker', 'labels'], sort: ['label', '-whole'], 'page[limit]': ID },
  ...{ 'page[offset]': ID, 'fields[node--thing]': ['label', 'whole'], unknown: ID },
  ...{ resourceVersion: ['rel%3Alatest-version', 'rel%3Aworking-copy'] },
  ...{
    'filter[langcode]': ['en', 'de'],
    'filter[uid.id]': ['a', 'b'],
    'filter[status]': ['1', '0'],
    'filter[uid.display_name]': ['a', 'b'],
    'filter[promote]': ['1', '0'],
    'filter[created]': TIME,
    'sort=-uid.display_name&page[limit]': ID,
    'filter[whole][value][]=1&filter[whole][operator]=IN&filter[whole][value][]': ID,
  },
}

const DELIVERY_PARAMETERS: Parameters = {
  ...{ skip: ID, take: ID, sort: ['name:asc', 'createDate:desc'], culture: ['en', 'de'] },
  ...{ expand: ['properties%5Bmaker%5D', 'properties%5B$all%5D'], unknown: ID },
  ...{ fields: ['properties%5Bwhole%5D', 'properties%5B$all%5D'], fetch: ['children:a', 'b'] },
}
