import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../test/kit/services.ts'
import type { BenchContext } from './bench.ts'
import { freePort } from './child.ts'
import type { Seed } from './content-seed.ts'
import { startStrapi } from './content-servers.ts'
import { serverSpec } from './entrepot.ts'
import type { WriteRequest } from './write-load.ts'

const ADMIN_KEY = `sk_${'Bench0'.repeat(8)}`
/** Of a bulk request. */
const BULK = 100

export const WRITES = ['create', 'change', 'publish', 'delete', 'bulk'] as const
export type WriteKind = (typeof WRITES)[number]
export type DatabaseName = 'SQLite' | 'PostgreSQL'

/** A server that is written to. */
export interface WriteServer {
  readonly what: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How each kind of write is asked; those that are absent it does not know. */
  readonly requests: Partial<
    Readonly<Record<WriteKind, (article: object, id: string) => WriteRequest>>
  >
  /** Makes so many articles and gives their ids. */
  make(count: number): Promise<readonly string[]>
}

async function emptyPostgres(context: BenchContext): Promise<string> {
  const directory = context.temporaryDirectory()
  // As root the server runs as somebody else, who has to get in.
  chmodSync(directory, 0o755)
  const server = await startPostgres(directory, true)
  context.undo(server.stop)
  return server.url
}

/** The whole product of a checkout with an empty type of articles. */
export async function startOurWrites(
  context: BenchContext,
  database: DatabaseName,
  what = 'Entrepot',
): Promise<WriteServer & { readonly env: Readonly<Record<string, string>> }> {
  const { spec, url } = await serverSpec(context.root, context.temporaryDirectory())
  const more = database === 'SQLite' ? {} : { ENTREPOT_DATABASE_URL: await emptyPostgres(context) }
  const env = { ...spec.env, ...more, ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'none' }
  await context.start({ ...spec, env })
  const headers = { 'x-api-key': ADMIN_KEY }
  await post(url, headers, '/api/v1/content-types', TYPE)
  const at = (id: string) => `/api/v1/articles/${id}`
  let isLive = true
  return {
    what: `${what}, ${database}`,
    ...{ url, headers, env },
    requests: {
      create: (body) => ({ method: 'POST', path: '/api/v1/articles', body }),
      change: (body, id) => ({ method: 'PATCH', path: at(id), body }),
      publish: (_, id) => {
        // What is live already would only be told so.
        isLive = !isLive
        return { method: 'POST', path: `${at(id)}/${isLive ? 'publish' : 'unpublish'}` }
      },
      delete: (_, id) => ({ method: 'DELETE', path: at(id) }),
      bulk: (article) => ({ method: 'POST', path: '/api/v1/articles/bulk', body: bulkOf(article) }),
    },
    make: (count) => makeBy(url, headers, '/api/v1/articles/bulk', count),
  }
}

/** One statement for each request on the same database. */
export async function startBareWrites(
  context: BenchContext,
  database: DatabaseName,
): Promise<WriteServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const place =
    database === 'SQLite'
      ? join(context.temporaryDirectory(), 'bare.db')
      : await emptyPostgres(context)
  const args = [join(context.root, 'bench/targets/bare-writes.ts'), String(port), place]
  await context.start({ command: process.execPath, args, readyUrl: `${url}/ready` })
  return {
    what: `bare, ${database}`,
    ...{ url, headers: {} },
    requests: {
      create: (body) => ({ method: 'POST', path: '/articles', body }),
      change: (body, id) => ({ method: 'PATCH', path: `/articles/${id}`, body }),
      publish: (_, id) => ({ method: 'POST', path: `/articles/${id}/publish` }),
      delete: (_, id) => ({ method: 'DELETE', path: `/articles/${id}` }),
      bulk: (article) => ({ method: 'POST', path: '/articles/bulk', body: bulkOf(article) }),
    },
    make: (count) => makeBy(url, {}, '/articles/bulk', count),
  }
}

/** Undefined when it is not installed. */
export async function startStrapiWrites(
  context: BenchContext,
  seed: Seed,
): Promise<WriteServer | undefined> {
  const server = await startStrapi(context, seed)
  if (!server) return undefined
  const { url } = server
  const path = '/api/articles'
  return {
    what: 'Strapi, SQLite',
    ...{ url, headers: {} },
    requests: {
      create: (data) => ({ method: 'POST', path, body: { data } }),
      change: (data, id) => ({ method: 'PUT', path: `${path}/${id}`, body: { data } }),
      delete: (_, id) => ({ method: 'DELETE', path: `${path}/${id}` }),
    },
    async make(count) {
      const ids: string[] = []
      for (let n = 0; n < count; n++) {
        const { data } = await post(url, {}, path, { data: { title: `made ${n}`, views: n } })
        ids.push(data.documentId)
      }
      return ids
    },
  }
}

async function makeBy(
  url: string,
  headers: Readonly<Record<string, string>>,
  path: string,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const { data } = await post(url, headers, path, bulkOf({ title: `made ${ids.length}` }))
    for (const { id } of data) ids.push(String(id))
  }
  return ids.slice(0, count)
}

function bulkOf(article: object) {
  const title = 'title' in article ? article.title : ''
  return {
    operations: Array.from({ length: BULK }, (_, n) => ({
      op: 'create',
      data: { ...article, title: `${title} ${n}`, views: n },
    })),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function post(url: string, headers: object, path: string, body: object): Promise<any> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

const TYPE = {
  singularName: 'article',
  pluralName: 'articles',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', required: true },
    slug: { type: 'uid', targetField: 'title' },
    summary: { type: 'text' },
    body: { type: 'text' },
    views: { type: 'integer' },
  },
}
