import { MOST_VIEWS, type Seed } from './content-seed.ts'

/** What the values of a question are, by its kind. */
interface Values {
  readonly 'number filter': { readonly least: number }
  readonly 'text search': { readonly term: string }
  readonly 'equality with a space': { readonly title: string; readonly most: number }
  readonly 'page n': {
    readonly page: number
    readonly size: number
    readonly by: 'title' | 'views'
    readonly isDescending: boolean
  }
  readonly 'one entry by id': { readonly id: number; readonly documentId: string }
  readonly 'list with relation': { readonly least: number }
}

export type Kind = keyof Values
export type Dialect = 'api/v1' | 'cms' | 'jsonapi' | 'delivery' | 'graphql' | 'commerce'
export interface Ids {
  readonly id: number
  readonly documentId: string
}

export const KINDS: readonly Kind[] = [
  'number filter',
  'text search',
  'equality with a space',
  'page n',
  'one entry by id',
  'list with relation',
]
export const DIALECTS: readonly Dialect[] = [
  ...(['api/v1', 'cms', 'jsonapi', 'delivery', 'graphql', 'commerce'] as const),
]
/** These are only for those with a key. */
export const KEYED: ReadonlySet<Dialect> = new Set<Dialect>(['api/v1', 'commerce'])

type Paths = { readonly [K in Kind]: (values: Values[K]) => string }

const REST = '/api/v1/articles'
const CMS = '/api/articles'
const NODES = '/jsonapi/node/article'
const ITEMS = '/cms/delivery/api/v2/content'
const condition = (path: string, operator: string, value: string | number) =>
  `filter[${path}][condition][path]=${path}&filter[${path}][condition][operator]=${operator}&filter[${path}][condition][value]=${value}`
const items = (filter: string) => `${ITEMS}?filter=contentType:article,${filter}&take=20`

/** Shows what the CMS dialect shows. */
const SHOWN = 'title slug summary body views createdAt updatedAt'
const PAGINATION = 'meta{pagination{page pageSize pageCount total}}'
const graphql = (declared: string, field: string, variables: object, more = '') =>
  `/graphql?query=query(${declared}){${field}{data{id attributes{${SHOWN}${more}}}${field.startsWith('article(') ? '' : PAGINATION}}}&variables=${JSON.stringify(variables)}`

/** Products with the values of the articles. */
const PRODUCTS = '/rest/V1/products'
const criteria = (filters: readonly (readonly [string, string, string | number])[], more = '') =>
  `${PRODUCTS}?${filters
    .map(([field, operator, value], n) => {
      const at = `searchCriteria[filterGroups][${n}][filters][0]`
      return `${at}[field]=${field}&${at}[value]=${value}&${at}[conditionType]=${operator}&`
    })
    .join('')}${more}searchCriteria[pageSize]=20`
const sorted = (field: string, direction: string) =>
  `searchCriteria[sortOrders][0][field]=${field}&searchCriteria[sortOrders][0][direction]=${direction}&`

/** The same question in the words of each dialect; not encoded. */
const PATHS: Readonly<Record<Dialect, Paths>> = {
  'api/v1': {
    'number filter': ({ least }) => `${REST}?filters[views][$gte]=${least}&sort=title&per_page=20`,
    'text search': ({ term }) => `${REST}?q=${term}&per_page=20`,
    'equality with a space': ({ title, most }) =>
      `${REST}?filters[title][$eq]=${title}&filters[views][$lte]=${most}`,
    'page n': ({ page, size, by, isDescending }) =>
      `${REST}?sort=${by}&order=${isDescending ? 'desc' : 'asc'}&page=${page}&per_page=${size}`,
    'one entry by id': ({ id }) => `${REST}/${id}`,
    'list with relation': ({ least }) =>
      `${REST}?include=author&filters[views][$gte]=${least}&sort=title&per_page=20`,
  },
  cms: {
    'number filter': ({ least }) =>
      `${CMS}?filters[views][$gte]=${least}&sort=title:asc&pagination[pageSize]=20`,
    'text search': ({ term }) => `${CMS}?_q=${term}&pagination[pageSize]=20`,
    'equality with a space': ({ title, most }) =>
      `${CMS}?filters[title][$eq]=${title}&filters[views][$lte]=${most}`,
    'page n': ({ page, size, by, isDescending }) =>
      `${CMS}?sort=${by}:${isDescending ? 'desc' : 'asc'}&pagination[page]=${page}&pagination[pageSize]=${size}`,
    'one entry by id': ({ documentId }) => `${CMS}/${documentId}`,
    'list with relation': ({ least }) =>
      `${CMS}?populate=author&filters[views][$gte]=${least}&sort=title:asc&pagination[pageSize]=20`,
  },
  jsonapi: {
    'number filter': ({ least }) =>
      `${NODES}?${condition('views', '>=', least)}&sort=title&page[limit]=20`,
    'text search': ({ term }) => `${NODES}?${condition('title', 'CONTAINS', term)}&page[limit]=20`,
    'equality with a space': ({ title, most }) =>
      `${NODES}?filter[title]=${title}&${condition('views', '<=', most)}`,
    'page n': ({ page, size, by, isDescending }) =>
      `${NODES}?sort=${isDescending ? '-' : ''}${by}&page[offset]=${(page - 1) * size}&page[limit]=${size}`,
    'one entry by id': ({ documentId }) => `${NODES}/${documentId}`,
    'list with relation': ({ least }) =>
      `${NODES}?include=author&${condition('views', '>=', least)}&sort=title&page[limit]=20`,
  },
  delivery: {
    'number filter': ({ least }) => `${items(`properties.views>:${least}`)}&sort=name:asc`,
    'text search': ({ term }) => items(`name:"${term}"`),
    // By its name an item is found by parts of it, by its property only by the whole.
    'equality with a space': ({ title, most }) =>
      items(`properties.title:"${title}",properties.views<:${most}`),
    'page n': ({ page, size, by, isDescending }) =>
      `${ITEMS}?filter=contentType:article&sort=${by === 'title' ? 'name' : 'properties.views'}:${isDescending ? 'desc' : 'asc'}&skip=${(page - 1) * size}&take=${size}`,
    'one entry by id': ({ documentId }) => `${ITEMS}/item/${documentId}`,
    // Authors would otherwise show their articles too.
    'list with relation': ({ least }) =>
      `${items(`properties.views>:${least}`)}&sort=name:asc&expand=properties[author]&fields=properties[slug,summary,body,views,author[properties[email]]]`,
  },
  graphql: {
    'number filter': ({ least }) =>
      graphql(
        '$least:Int',
        'articles(filters:{views:{gte:$least}} sort:"title" pagination:{pageSize:20})',
        { least },
      ),
    'text search': ({ term }) =>
      graphql(
        '$term:String',
        'articles(filters:{title:{contains:$term}} pagination:{pageSize:20})',
        {
          term,
        },
      ),
    'equality with a space': ({ title, most }) =>
      graphql(
        '$title:String $most:Int',
        'articles(filters:{title:{eq:$title} views:{lte:$most}})',
        { title, most },
      ),
    'page n': ({ page, size, by, isDescending }) =>
      graphql(
        '$page:Int $size:Int $sort:[String]',
        'articles(sort:$sort pagination:{page:$page pageSize:$size})',
        { page, size, sort: `${by}:${isDescending ? 'desc' : 'asc'}` },
      ),
    'one entry by id': ({ documentId }) => graphql('$id:ID', 'article(id:$id)', { id: documentId }),
    'list with relation': ({ least }) =>
      graphql(
        '$least:Int',
        'articles(filters:{views:{gte:$least}} sort:"title" pagination:{pageSize:20})',
        { least },
        ' author{data{id attributes{name email}}}',
      ),
  },
  commerce: {
    'number filter': ({ least }) => criteria([['views', 'gteq', least]], sorted('name', 'ASC')),
    'text search': ({ term }) => criteria([['name', 'like', `%${term}%`]]),
    'equality with a space': ({ title, most }) =>
      criteria([
        ['name', 'eq', title],
        ['views', 'lteq', most],
      ]),
    'page n': ({ page, size, by, isDescending }) =>
      `${PRODUCTS}?${sorted(by === 'title' ? 'name' : by, isDescending ? 'DESC' : 'ASC')}searchCriteria[pageSize]=${size}&searchCriteria[currentPage]=${page}`,
    'one entry by id': ({ id }) => `${PRODUCTS}/S-${id}`,
    // Products always show the ids of what they are related to.
    'list with relation': ({ least }) =>
      criteria([['views', 'gteq', least]], sorted('name', 'ASC')),
  },
}

/** Coprime to every number of values here, so that a walk by it meets each value once. */
const STRIDE = 7_919
const NUMBERS = MOST_VIEWS / 2
const SIZES = [16, 17, 18, 19, 20, 21, 22, 23, 24]
const MOST_TERMS = 200_000

/**
 * Questions to one server, of which none comes a second time. Only ids and pages are so few that a long run
 * begins again with them; between two measurements something is written, so that no answer is known by then.
 */
export function createQuestions({ articles }: Seed, ids: readonly Ids[]) {
  const next = new Map<string, number>()
  const pages = allPages(articles.length)
  const terms = termsOf(articles.map(({ title }) => title))
  const spaces: Readonly<Record<Kind, number>> = {
    'number filter': NUMBERS,
    'text search': terms.length,
    'equality with a space': NUMBERS,
    'page n': pages.length,
    'one entry by id': ids.length,
    'list with relation': NUMBERS,
  }
  const values: { readonly [K in Kind]: (n: number) => Values[K] } = {
    'number filter': (n) => ({ least: n }),
    'text search': (n) => ({ term: at(terms, n) }),
    'equality with a space': (n) => ({
      title: at(articles, n % articles.length).title,
      most: MOST_VIEWS + n,
    }),
    'page n': (n) => at(pages, n),
    'one entry by id': (n) => at(ids, n),
    // Other numbers than without the relation.
    'list with relation': (n) => ({ least: (n + NUMBERS / 2) % NUMBERS }),
  }
  return { take, look, use, templates }

  function take(dialect: Dialect, kind: Kind, count: number): string[] {
    const paths = look(dialect, kind, count)
    use(dialect, kind, paths.length)
    return paths
  }

  /** Paths of the next so many questions, of fewer where there are not so many. */
  function look(dialect: Dialect, kind: Kind, count: number): string[] {
    const from = next.get(`${dialect} ${kind}`) ?? 0
    const length = Math.min(count, spaces[kind])
    return Array.from({ length }, (_, n) => path(dialect, kind, from + n))
  }

  /** A question of every template: lists differ in their order, and first pages from all others. */
  function templates(dialect: Dialect, kind: Kind): string[] {
    if (kind !== 'page n') return [path(dialect, kind, 0)]
    return ORDERS.flatMap((order) =>
      [1, 2].map((page) => encodeURI(PATHS[dialect][kind]({ page, size: 20, ...order }))),
    )
  }

  /** So many of them were asked. */
  function use(dialect: Dialect, kind: Kind, count: number): void {
    const key = `${dialect} ${kind}`
    next.set(key, (next.get(key) ?? 0) + count)
  }

  function path<K extends Kind>(dialect: Dialect, kind: K, n: number): string {
    const ask: Paths[K] = PATHS[dialect][kind]
    return encodeURI(ask(values[kind]((n * STRIDE) % spaces[kind])))
  }
}

export type Questions = ReturnType<typeof createQuestions>

const ORDERS = (['title', 'views'] as const).flatMap((by) => [
  { by, isDescending: false },
  { by, isDescending: true },
])

function allPages(articles: number): Values['page n'][] {
  return SIZES.flatMap((size) =>
    Array.from({ length: Math.floor(articles / size) }, (_, n) =>
      ORDERS.map((order) => ({ page: n + 1, size, ...order })),
    ).flat(),
  )
}

/** Parts of titles that reach over a space. */
function termsOf(titles: readonly string[]): string[] {
  const found = new Set<string>()
  for (const length of [6, 7, 8, 9]) {
    for (const title of titles) {
      const space = title.indexOf(' ')
      for (let start = space - 4; start < space; start++) {
        found.add(title.slice(Math.max(0, start), start + length))
      }
      if (found.size > MOST_TERMS) return [...found]
    }
  }
  return [...found]
}

function at<T>(list: readonly T[], n: number): T {
  const found = list[n]
  if (found === undefined) throw new Error(`there is no value ${n} of ${list.length}`)
  return found
}
