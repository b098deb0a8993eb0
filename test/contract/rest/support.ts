import { before } from 'node:test'
import { ADMIN_KEY, type Answer, contentSuite, type DatabaseKind } from '#test-kit'
import { contentServer } from '../content/support.ts'

const CONTENT_TYPES = [
  {
    singularName: 'author',
    pluralName: 'authors',
    attributes: {
      name: { type: 'string', required: true },
      password: { type: 'password' },
      avatar: { type: 'media' },
    },
  },
  {
    singularName: 'category',
    pluralName: 'categories',
    attributes: { name: { type: 'string', required: true } },
  },
  {
    singularName: 'comment',
    pluralName: 'comments',
    attributes: {
      body: { type: 'text', required: true },
      likes: { type: 'integer', default: 0 },
      article: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'article',
        inversedBy: 'comments',
      },
    },
  },
  {
    singularName: 'article',
    pluralName: 'articles',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string', required: true, maxLength: 200 },
      slug: { type: 'uid', targetField: 'title' },
      summary: { type: 'text' },
      body: { type: 'richtext' },
      price: { type: 'decimal' },
      rank: { type: 'integer', default: 5 },
      notes: { type: 'text', private: true },
      cover: { type: 'media' },
      seo: { type: 'component', component: 'default.seo' },
      author: { type: 'relation', relation: 'manyToOne', target: 'author' },
      secret: { type: 'relation', relation: 'manyToOne', target: 'author', private: true },
      categories: { type: 'relation', relation: 'manyToMany', target: 'category' },
      comments: { type: 'relation', relation: 'oneToMany', target: 'comment', mappedBy: 'article' },
    },
  },
  {
    singularName: 'page',
    pluralName: 'pages',
    draftAndPublish: true,
    localized: true,
    attributes: { title: { type: 'string', required: true } },
  },
  {
    kind: 'singleType',
    singularName: 'homepage',
    pluralName: 'homepages',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string', required: true },
      featured: { type: 'relation', relation: 'manyToOne', target: 'article' },
    },
  },
]

const COMPONENTS = [
  {
    category: 'default',
    name: 'seo',
    attributes: {
      description: { type: 'string' },
      owner: { type: 'relation', relation: 'manyToOne', target: 'author' },
    },
  },
]

export type RestServer = ReturnType<typeof restServer>

/** Tests on a server they share, which has types for every rule of the contract. */
export function restSuite(name: string, define: (rest: RestServer) => void) {
  return (rest: RestServer) =>
    contentSuite(name, rest, { prepare: () => prepare(rest), define: () => define(rest) })
}

async function prepare({ data }: RestServer): Promise<void> {
  await data('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
  const body = { contentTypes: CONTENT_TYPES, components: COMPONENTS }
  await data('POST', '/api/v1/content-types/batch', { body })
}

/** One server for all tests of a `describe`, with keys of all levels. */
export function restServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  const { server, call, ok, data } = contentServer(kind, extra)
  const keys = { read: '', write: '', admin: ADMIN_KEY }
  before(async () => {
    keys.read = await issueKey({ access: 'read' })
    keys.write = await issueKey({ access: 'write' })
  })
  return { kind, server, call, ok, data, keys, issueKey, walk }

  async function issueKey(more: { access: string; plan_id?: number }): Promise<string> {
    const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
    const plan = more.plan_id ?? (await data('POST', '/api/v1/plans', { body: figures })).id
    return (await data('POST', '/api/v1/keys', { body: { plan_id: plan, ...more } })).key
  }

  /** Follows `Link` from a page to the last one in that direction; the answers on the way. */
  async function walk(path: string, relation: 'next' | 'prev' = 'next'): Promise<Answer[]> {
    const answers: Answer[] = []
    let next: string | undefined = path
    while (next !== undefined) {
      const answer: Answer = await call('GET', next)
      if (answer.status !== 200) throw new Error(`${next}: ${JSON.stringify(answer.body)}`)
      answers.push(answer)
      const link = linksOf(answer)[relation]
      next = link === undefined ? undefined : link.slice(new URL(link).origin.length)
    }
    return answers
  }
}

/** The `Link` header by relation. */
export function linksOf({ headers }: Answer): Record<string, string> {
  const found = (headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)
  return Object.fromEntries([...found].map(([, url, relation]) => [relation, url]))
}

export function idsOf(answers: readonly Answer[]): number[] {
  return answers.flatMap(({ body }) => body.data.map(({ id }: { id: number }) => id))
}
