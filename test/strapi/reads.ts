/** Reads of clients, asked of the old Strapi and of what was moved; `documentId` stands for some entry. */
export interface Read {
  readonly path: string
  /** The type has drafts, so its `publishedAt` is compared. */
  readonly hasDrafts: boolean
}

const article = (query: string): Read => ({ path: `/api/articles?${query}`, hasDrafts: true })
const other = (path: string, hasDrafts = false): Read => ({ path: `/api/${path}`, hasDrafts })

/** Everything there is, whole: each entry in each language, working and live copy. */
const WHOLE: readonly Read[] = [
  ...pagesOf(5, (page) => article(`${page}&populate=*&locale=en&status=draft`)),
  ...pagesOf(4, (page) => article(`${page}&populate=*&locale=en&status=published`)),
  ...pagesOf(3, (page) => article(`${page}&populate=*&locale=de&status=draft`)),
  ...pagesOf(2, (page) => article(`${page}&populate=*&locale=de&status=published`)),
  ...pagesOf(1, (page) => other(`categories?${page}&populate=*&locale=en&status=draft`)),
  ...pagesOf(1, (page) => other(`categories?${page}&populate=*&locale=de&status=draft`)),
  other('authors?sort=id&populate=*&status=draft&pagination[pageSize]=100'),
  ...pagesOf(1, (page) => other(`pages?${page}&populate=*&status=draft`, true)),
  ...pagesOf(1, (page) => other(`pages?${page}&populate=*&status=published`, true)),
  other('homepage?populate=*&status=draft', true),
  other('homepage?populate=*', true),
  other('homepage?populate=*&locale=de&status=draft', true),
]

const TEASERS =
  'populate[teasers][populate][article][fields][0]=title&populate[teasers][populate][categories][fields][0]=name'

/** Lists, filters, sorts, fields and populated parts of a website. */
const OF_CLIENTS: readonly Read[] = [
  article('sort=id'),
  article('sort=id&locale=de'),
  article('sort=id&pagination[page]=2&pagination[pageSize]=10'),
  article('sort=id&pagination[start]=7&pagination[limit]=5'),
  article('sort=publishedAt:desc&pagination[pageSize]=20&fields[0]=title&fields[1]=slug'),
  article('sort=createdAt:desc&pagination[pageSize]=20&fields[0]=title'),
  article('sort=title:desc&pagination[pageSize]=20&fields[0]=title'),
  article('sort=slug&filters[slug][$eq]=article-10&populate[author]=true'),
  article('sort=slug&filters[title][$contains]=Article%2011'),
  article('sort=slug&filters[author][name][$eq]=Author%2012&populate[author]=true'),
  article(
    'sort=slug&filters[categories][slug][$eq]=category-7&populate[categories][fields][0]=name',
  ),
  article('sort=slug&filters[featured][$eq]=true&filters[mood][$eq]=calm&fields[0]=title'),
  article('sort=slug&filters[price][$gt]=400&fields[0]=price'),
  article('sort=slug&filters[summary][$null]=true&fields[0]=title&pagination[pageSize]=100'),
  article(
    'sort=slug&filters[$or][0][slug]=article-1&filters[$or][1][slug]=article-2&fields[0]=slug',
  ),
  article('sort=slug&populate[seo][populate]=*&pagination[pageSize]=30'),
  article('sort=slug&populate[quotes]=true&pagination[pageSize]=30&status=draft'),
  article('sort=slug&populate[localizations][fields][0]=title&pagination[pageSize]=10'),
  other('authors?sort=name&populate[articles][fields][0]=title&status=draft'),
  other('authors?sort=id&filters[email][$notNull]=true&fields[0]=email'),
  other('categories?sort=code&populate[children][fields][0]=name'),
  other('categories?sort=code&locale=de&populate[parent][fields][0]=name'),
  other('categories?sort=code&filters[parent][$null]=true'),
  other('pages?sort=slug&populate[hero][fields][0]=title', true),
  other(`homepage?${TEASERS}`, true),
  other(`homepage?locale=de&status=draft&${TEASERS}`, true),
]

export const READS: readonly Read[] = [...WHOLE, ...OF_CLIENTS]

/** Asked by documentId, of the entries that these lists show. */
export const BY_DOCUMENT: readonly Read[] = [
  article('sort=slug&pagination[pageSize]=3&fields[0]=slug'),
  article('sort=slug&pagination[pageSize]=3&fields[0]=slug&locale=de'),
  other('authors?sort=name&pagination[pageSize]=3&fields[0]=name'),
]

function pagesOf(count: number, toRead: (page: string) => Read): Read[] {
  return Array.from({ length: count }, (_, at) =>
    toRead(`sort=slug&pagination[page]=${at + 1}&pagination[pageSize]=100`),
  )
}
