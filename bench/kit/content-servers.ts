import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from './bench.ts'
import { freePort } from './child.ts'
import type { Seed } from './content-seed.ts'
import { serverSpec } from './entrepot.ts'
import { createQuestions, type Dialect, type Ids, type Questions } from './questions.ts'

const ADMIN_KEY = `sk_${'Bench0'.repeat(8)}`
const BULK = 500
/** Strapi writes its articles one by one before it answers. */
const STRAPI_LIMIT_MS = 1_200_000

export interface ContentServer {
  readonly url: string
  readonly questions: Questions
}

export interface OurServer extends ContentServer {
  /** Of a plan with limits: each request is counted and metered. */
  readonly key: string
  /** One article, or product, changes: what was answered before is known no more. */
  write(dialect: Dialect): Promise<void>
  plansCompiled(): Promise<number>
}

/** The whole product of a checkout, with the articles of the seed and, where asked for, as many products. */
export async function startOurs(
  context: BenchContext,
  seed: Seed,
  hasProducts: boolean,
): Promise<OurServer> {
  const { spec, url } = await serverSpec(context.root, context.temporaryDirectory())
  const env = { ...spec.env, ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'none' }
  await context.start({ ...spec, env })
  await send('POST', '/api/v1/content-types/batch', { contentTypes: TYPES })
  const authors = await fill('authors', seed.authors)
  const articles = seed.articles.map(({ author, ...article }) => ({
    ...article,
    author_id: authors[author]?.documentId,
  }))
  const ids = await fill('articles', articles)
  if (hasProducts) {
    const products = articles.map(({ title, ...values }, n) => ({
      ...{ ...values, name: title, sku: `S-${ids[n]?.id}`, price: n % 100, stock: n % 10 },
    }))
    await fill('products', products)
  }
  const key = await sellKey()
  let written = 0
  return { url, questions: createQuestions(seed, ids), key, write, plansCompiled }

  async function write(dialect: Dialect) {
    const { id } = ids[++written % ids.length] ?? { id: 0 }
    const plural = dialect === 'commerce' ? 'products' : 'articles'
    await send('PATCH', `/api/v1/${plural}/${id}`, { summary: `written ${written}` })
  }

  async function plansCompiled(): Promise<number> {
    const answer = await fetch(`${url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } })
    return Number(/^content_plans_compiled (\d+)$/m.exec(await answer.text())?.[1])
  }

  async function fill(plural: string, records: readonly object[]): Promise<Ids[]> {
    const ids: Ids[] = []
    for (let at = 0; at < records.length; at += BULK) {
      const operations = records.slice(at, at + BULK).map((data) => ({ op: 'create', data }))
      const { data, meta } = await send('POST', `/api/v2/${plural}/bulk`, { operations })
      if (meta.failed > 0) throw new Error(`could not fill ${plural}: ${JSON.stringify(data[0])}`)
      for (const { id, entry_id } of data) ids.push({ id: entry_id, documentId: id })
    }
    return ids
  }

  /** Limits that nobody reaches still have to be looked at. */
  async function sellKey(): Promise<string> {
    const limits = { requests_per_month: 1e12, requests_per_minute: 1e9 }
    const plan = { name: 'Bench', ...limits, endpoints: ['*'], price_monthly: 1 }
    const { data: sold } = await send('POST', '/api/v1/plans', plan)
    const { data: user } = await send('POST', '/api/v1/users', { email: 'bench@example.org' })
    const { data } = await send('POST', '/api/v1/keys', { user_id: user.id, plan_id: sold.id })
    return data.key
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async function send(method: string, path: string, body: object): Promise<any> {
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': ADMIN_KEY },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
}

const TYPES = [
  {
    singularName: 'author',
    pluralName: 'authors',
    attributes: {
      name: { type: 'string' },
      email: { type: 'email' },
      articles: {
        type: 'relation',
        relation: 'oneToMany',
        target: 'article',
        mappedBy: 'author',
      },
    },
  },
  {
    singularName: 'article',
    pluralName: 'articles',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string', required: true },
      slug: { type: 'string' },
      summary: { type: 'text' },
      body: { type: 'text' },
      views: { type: 'integer' },
      author: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'author',
        inversedBy: 'articles',
      },
    },
  },
  {
    singularName: 'product',
    pluralName: 'products',
    draftAndPublish: true,
    attributes: {
      name: { type: 'string' },
      sku: { type: 'string', required: true, unique: true },
      price: { type: 'decimal' },
      stock: { type: 'integer', default: 0, unversioned: true },
      is_in_stock: { type: 'boolean', default: true, unversioned: true },
      slug: { type: 'string' },
      summary: { type: 'text' },
      body: { type: 'text' },
      views: { type: 'integer' },
      author: { type: 'relation', relation: 'manyToOne', target: 'author' },
    },
  },
]

/** Answers of the given bodies, each at `/<its number>`. */
export async function startBare(context: BenchContext, bodies: readonly string[]): Promise<string> {
  const folder = join(context.temporaryDirectory(), 'bodies')
  mkdirSync(folder)
  for (const [at, body] of bodies.entries()) writeFileSync(join(folder, String(at)), body)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const args = [join(context.root, 'bench/targets/bare-bytes.ts'), String(port), folder]
  await context.start({ command: process.execPath, args, readyUrl: `${url}/0` })
  return url
}

/** Strapi with the same articles; undefined when it is not installed. */
export async function startStrapi(
  context: BenchContext,
  seed: Seed,
): Promise<ContentServer | undefined> {
  const home = join(context.root, 'bench/peers/strapi')
  if (!existsSync(join(home, 'node_modules'))) {
    context.say('Strapi left out: npm run bench:peers installs it')
    return undefined
  }
  const directory = context.temporaryDirectory()
  const seedFile = join(directory, 'seed.json')
  writeFileSync(seedFile, JSON.stringify(seed))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = 'cd "$0" && exec "$1" node_modules/@strapi/strapi/bin/strapi.js start'
  await context.start({
    command: 'sh',
    // The machine's own Node: Strapi's database driver is compiled for it.
    args: ['-c', program, home, nodeOfMachine()],
    env: {
      NODE_ENV: 'production',
      STRAPI_PORT: String(port),
      STRAPI_DATABASE: join(directory, 'data.db'),
      STRAPI_SEED: seedFile,
      STRAPI_TELEMETRY_DISABLED: 'true',
    },
    readyUrl: `${url}/api/articles`,
    startLimitMs: STRAPI_LIMIT_MS,
  })
  return { url, questions: createQuestions(seed, await documentsOf(url)) }
}

async function documentsOf(url: string): Promise<Ids[]> {
  const ids: Ids[] = []
  for (let page = 1; ; page++) {
    const paging = `pagination[page]=${page}&pagination[pageSize]=100`
    const answer = await fetch(encodeURI(`${url}/api/articles?fields=slug&sort=id&${paging}`))
    const { data }: { data: Ids[] } = JSON.parse(await answer.text())
    if (data.length === 0) return ids
    for (const { id, documentId } of data) ids.push({ id, documentId })
  }
}

function nodeOfMachine(): string {
  const found = ['/usr/local/bin/node', '/usr/bin/node'].find((path) => existsSync(path))
  return found ?? 'node'
}
