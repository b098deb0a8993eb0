export interface Seed {
  readonly authors: readonly { readonly name: string; readonly email: string }[]
  readonly articles: readonly {
    readonly title: string
    readonly slug: string
    readonly summary: string
    readonly body: string
    readonly views: number
    /** Index into the authors. */
    readonly author: number
  }[]
}

const WORDS = ['harbour', 'crane', 'quay', 'cargo', 'tide', 'pilot', 'ledger', 'depot', 'canal']

/** The same articles for everybody: nothing is drawn at random. */
export function articleSeed(articles: number, authors: number): Seed {
  return {
    authors: Array.from({ length: authors }, (_, n) => ({
      name: `Author ${n}`,
      email: `author${n}@example.org`,
    })),
    articles: Array.from({ length: articles }, (_, n) => ({
      title: `${word(n * 7)} ${word(n * 3 + 1)} ${(n * 7919) % articles}`,
      slug: `article-${n}`,
      summary: sentence(n, 20),
      body: sentence(n + 1, 60),
      views: (n * 104_729) % 1_000,
      author: n % authors,
    })),
  }
}

function sentence(from: number, length: number): string {
  return Array.from({ length }, (_, n) => word(from + n * 5)).join(' ')
}

function word(n: number): string {
  return WORDS[n % WORDS.length] ?? ''
}
