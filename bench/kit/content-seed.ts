export interface Seed {
  readonly authors: readonly { readonly name: string; readonly email: string }[]
  readonly articles: readonly {
    readonly title: string
    readonly slug: string
    readonly summary: string
    readonly body: string
    /** Below `MOST_VIEWS`, evenly spread. */
    readonly views: number
    /** Index into the authors. */
    readonly author: number
  }[]
}

export const MOST_VIEWS = 10_000_000

const BEGINNINGS = [
  'har',
  'ca',
  'qua',
  'lo',
  'ti',
  'pi',
  'me',
  'de',
  'bru',
  'sto',
  'gre',
  'fi',
  'nu',
]
const MIDDLES = ['bo', 'ra', 'li', 'den', 'ga', 'mur', 'to', 'sel', 'ni']
const ENDS = ['ur', 'ne', 'y', 'go', 'de', 'lot', 'ger', 'pot', 'nal', 'th', 'sk']

/** The same articles for everybody: nothing is drawn at random. Titles are unique and have spaces. */
export function articleSeed(articles: number, authors: number): Seed {
  return {
    authors: Array.from({ length: authors }, (_, n) => ({
      name: `Author ${n}`,
      email: `author${n}@example.org`,
    })),
    articles: Array.from({ length: articles }, (_, n) => ({
      title: `${sentence(n, 3)} ${(n * 7919) % articles}`,
      slug: `article-${n}`,
      summary: sentence(n + 1, 20),
      body: sentence(n + 2, 60),
      views: (n * 104_729) % MOST_VIEWS,
      author: n % authors,
    })),
  }
}

function sentence(of: number, length: number): string {
  return Array.from({ length }, (_, n) => word(scattered(of * 101 + n))).join(' ')
}

function word(n: number): string {
  const part = (parts: readonly string[], by: number) => parts[Math.floor(n / by) % parts.length]
  return `${part(BEGINNINGS, 1)}${part(MIDDLES, 16)}${part(ENDS, 256)}`
}

/** Neighbours lie far from each other (the finaliser of MurmurHash3). */
function scattered(n: number): number {
  let mixed = Math.imul(n ^ (n >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
