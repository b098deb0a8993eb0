import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, BenchContext } from './kit/bench.ts'
import { freePort } from './kit/child.ts'
import { compare, ratio, type Target } from './kit/compare.ts'
import { articleSeed, type Seed } from './kit/content-seed.ts'
import { serverSpec } from './kit/entrepot.ts'
import { VARYING } from './kit/load.ts'

const BARE = 'bare Fastify, same bytes'
const FIRST = 'entrepot, first time'
const REPEATED = 'entrepot, nothing changed'
const STRAPI = 'Strapi 5'
const JSONAPI_FIRST = 'JSON:API, first time'
const JSONAPI_REPEATED = 'JSON:API, nothing changed'

const DELIVERY_FIRST = 'content delivery, first time'
const DELIVERY_REPEATED = 'content delivery, nothing changed'

const KEY = `sk_${'Bench0'.repeat(8)}`
/** Asked with another value each time where nothing may be known of the question yet. */
const LIST =
  '/api/articles?populate=author&filters[views][$gte]={n}&sort=title:asc&pagination[pageSize]=20'

/** The same twenty articles with their authors, in the words of JSON:API. */
const JSONAPI_LIST =
  '/jsonapi/node/article?include=author&filter[v][condition][path]=views&filter[v][condition][operator]=>=&filter[v][condition][value]={n}&sort=title&page[limit]=20'

/** And in those of content delivery, whose authors would otherwise show their articles too. */
const DELIVERY_LIST =
  '/cms/delivery/api/v2/content?expand=properties[author]&fields=properties[slug,summary,body,views,author[properties[email]]]&filter=contentType:article,properties.views>:{n}&sort=name:asc&take=20'

const content: Bench = {
  name: 'content',
  summary: 'CMS list of 20 with one relation, filter and sort, 1,000 articles, against Strapi 5',
  async run(context) {
    const seed = articleSeed(1_000, 20)
    const first = await ours(context, FIRST, seed, { ENTREPOT_ANSWERS_MAX_BYTES: '0' })
    const repeated = await ours(context, REPEATED, seed, {})
    const speeds = await compare(context, [
      await bare(context, same(first).url),
      first,
      same(repeated),
      asked(first, JSONAPI_FIRST, JSONAPI_LIST),
      same(asked(repeated, JSONAPI_REPEATED, JSONAPI_LIST)),
      asked(first, DELIVERY_FIRST, DELIVERY_LIST),
      same(asked(repeated, DELIVERY_REPEATED, DELIVERY_LIST)),
      await strapi(context, seed),
    ])
    const must = (atLeast: number) => ({ unit: 'x' as const, must: { atLeast } })
    return {
      speeds,
      figures: [
        { what: `${FIRST} / ${STRAPI}`, value: ratio(speeds, FIRST, STRAPI), ...must(30) },
        { what: `${FIRST} / ${BARE}`, value: ratio(speeds, FIRST, BARE), ...must(0.25) },
        { what: `${REPEATED} / ${BARE}`, value: ratio(speeds, REPEATED, BARE), ...must(0.7) },
        {
          what: `${JSONAPI_FIRST} / ${FIRST}`,
          value: ratio(speeds, JSONAPI_FIRST, FIRST),
          ...must(0.5),
        },
        {
          what: `${JSONAPI_REPEATED} / ${REPEATED}`,
          value: ratio(speeds, JSONAPI_REPEATED, REPEATED),
          ...must(0.5),
        },
        {
          what: `${DELIVERY_FIRST} / ${FIRST}`,
          value: ratio(speeds, DELIVERY_FIRST, FIRST),
          ...must(0.5),
        },
        {
          what: `${DELIVERY_REPEATED} / ${REPEATED}`,
          value: ratio(speeds, DELIVERY_REPEATED, REPEATED),
          ...must(0.5),
        },
      ],
    }
  },
}
export default content

async function ours(
  context: BenchContext,
  what: string,
  seed: Seed,
  more: Record<string, string>,
): Promise<Target> {
  const { spec, url } = await serverSpec(context.root, context.temporaryDirectory())
  const env = { ...spec.env, ENTREPOT_ADMIN_KEY: KEY, ENTREPOT_STARTER: 'none', ...more }
  await context.start({ ...spec, env })
  await define(url)
  const authors = await fill(url, 'authors', seed.authors)
  await fill(
    url,
    'articles',
    seed.articles.map(({ author, ...article }) => ({ ...article, author_id: authors[author] })),
  )
  return { what, url: encodeURI(url + LIST) }
}

/** The same question every time. */
function same({ what, url }: Target): Target {
  return { what, url: url.replace(VARYING, '100') }
}

/** The same server asked in another dialect. */
function asked({ url }: Target, what: string, list: string): Target {
  return { what, url: encodeURI(new URL(url).origin + list) }
}

async function define(url: string) {
  const author = {
    type: 'relation',
    relation: 'manyToOne',
    target: 'author',
    inversedBy: 'articles',
  }
  const articles = {
    type: 'relation',
    relation: 'oneToMany',
    target: 'article',
    mappedBy: 'author',
  }
  await send(url, '/api/v1/content-types/batch', {
    contentTypes: [
      {
        singularName: 'author',
        pluralName: 'authors',
        attributes: { name: { type: 'string' }, email: { type: 'email' }, articles },
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
          author,
        },
      },
    ],
  })
}

/** Ids in the order of the records. */
async function fill(url: string, plural: string, records: readonly object[]): Promise<number[]> {
  const ids: number[] = []
  for (let at = 0; at < records.length; at += 500) {
    const operations = records.slice(at, at + 500).map((data) => ({ op: 'create', data }))
    const { data, meta } = await send(url, `/api/v1/${plural}/bulk`, { operations })
    if (meta.failed > 0) throw new Error(`could not fill ${plural}: ${JSON.stringify(data[0])}`)
    ids.push(...data.map(({ id }: { id: number }) => id))
  }
  return ids
}

async function send(url: string, path: string, body: object) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return JSON.parse(await answer.text())
}

async function bare(context: BenchContext, sameAs: string): Promise<Target> {
  const answer = await fetch(sameAs)
  const body = await answer.text()
  if (!answer.ok || JSON.parse(body).data.length !== 20) throw new Error(`no list of 20: ${body}`)
  const file = join(context.temporaryDirectory(), 'answer.json')
  writeFileSync(file, body)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const args = [join(context.root, 'bench/targets/bare-bytes.ts'), String(port), file]
  await context.start({ command: process.execPath, args, readyUrl: url })
  return { what: BARE, url }
}

async function strapi(context: BenchContext, seed: Seed): Promise<Target> {
  const home = join(context.root, 'bench/peers/strapi')
  if (!existsSync(join(home, 'node_modules'))) {
    throw new Error('Strapi is not installed; npm run bench:peers installs it')
  }
  const directory = context.temporaryDirectory()
  const seedFile = join(directory, 'seed.json')
  writeFileSync(seedFile, JSON.stringify(seed))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await context.start({
    // The machine's own Node: Strapi's database driver is compiled for it.
    command: 'sh',
    args: [
      '-c',
      'cd "$0" && exec "$1" node_modules/@strapi/strapi/bin/strapi.js start',
      home,
      nodeOfMachine(),
    ],
    env: {
      NODE_ENV: 'production',
      STRAPI_PORT: String(port),
      STRAPI_DATABASE: join(directory, 'data.db'),
      STRAPI_SEED: seedFile,
      STRAPI_TELEMETRY_DISABLED: 'true',
    },
    readyUrl: encodeURI(url + LIST).replace(VARYING, '100'),
    startLimitMs: 300_000,
  })
  return { what: STRAPI, url: encodeURI(url + LIST) }
}

function nodeOfMachine(): string {
  const found = ['/usr/local/bin/node', '/usr/bin/node'].find((path) => existsSync(path))
  return found ?? 'node'
}
