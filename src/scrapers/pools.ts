import type { Kysely } from 'kysely'
import type { Alongside, Database } from '#db'
import { type Clock, conflict, invalid, isObject, notFound } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import { oneOf, text, texts } from './definition/kinds.ts'
import {
  createProblems,
  type Members,
  type Parsed,
  type Problems,
  readMembers,
} from './definition/members.ts'
import type { ProxyPool } from './records.ts'
import type { PoolStore } from './store/pools.ts'
import type { ScrapersTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly store: PoolStore
}

const MAX_PROXIES = 1_000
const MASK = '***'

const POOL = {
  name: text({ max: 100 }, ''),
  strategy: oneOf(['round_robin', 'random', 'sticky_host'], 'round_robin'),
  proxies: texts({ max: 2_048, maxItems: MAX_PROXIES, check: checkProxy }),
} satisfies Members

type Input = Parsed<typeof POOL>
const SHOWN_ONLY = new Set(['created_at'])

/** Proxy pools, of admins alone (scrapers contract §7). */
export function createPools({ db, clock, store }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  return { create, get, list, change, remove }

  async function create(body: unknown, alongside?: Alongside<ProxyPool>): Promise<ProxyPool> {
    const input = parse(body)
    try {
      return await db.main.transaction(undefined, async (tx) => {
        const figures = { ...input, createdAtMs: clock.now() }
        const pool = await store.insert(tx.as<ScrapersTables>(), figures)
        await alongside?.(tx, pool)
        return pool
      })
    } catch (error) {
      if (!db.dialect.isUniqueViolation(error)) throw error
      throw conflict('proxy_pool_exists', `There is a proxy pool ${input.name} already`)
    }
  }

  async function get(name: string): Promise<ProxyPool> {
    const pool = await store.find(reader, name)
    if (!pool) throw notFound('proxy_pool')
    return pool
  }

  function list(query: ListQuery<'id' | 'name'>): Promise<FoundPage<ProxyPool>> {
    return store.findMany(reader, query)
  }

  async function change(name: string, body: unknown): Promise<ProxyPool> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ScrapersTables>()
      const before = await store.lock(trx, name)
      const changed = before && (await store.update(trx, name, parse(body, before)))
      if (!changed) throw notFound('proxy_pool')
      return changed
    })
  }

  async function remove(name: string): Promise<void> {
    await get(name)
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ScrapersTables>()
      if (await store.isUsed(trx, name)) {
        throw conflict(
          'proxy_pool_in_use',
          `Scrapers use the proxy pool ${name}; change them first`,
        )
      }
      await store.remove(trx, name)
    })
  }
}

export type Pools = ReturnType<typeof createPools>

function parse(body: unknown, before?: ProxyPool): Input {
  const problems = createProblems()
  const given = isObject(body) ? body : {}
  if (!isObject(body)) problems.at(['body'])('type', 'must be an object')
  const base = before && { name: before.name, strategy: before.strategy, proxies: before.proxies }
  const input = readMembers({
    ...{ members: POOL, body: given, base, problems, path: [], passedOver: SHOWN_ONLY },
  })
  if (!before && (given['name'] === undefined || given['name'] === null)) {
    problems.at(['name'])('required', 'is required')
  }
  if (before && input.name !== before.name) {
    problems.at(['name'])('read_only', 'cannot be changed; create another pool')
  }
  const proxies = withPasswords(input.proxies ?? [], before?.proxies ?? [], problems)
  if (problems.issues.length > 0) throw invalid(problems.issues)
  return { ...input, proxies }
}

/** What was shown masked and is sent back keeps the password that is stored. */
function withPasswords(
  given: readonly string[],
  stored: readonly string[],
  problems: Problems,
): string[] {
  const known = new Map(stored.map((address) => [maskProxy(address), address]))
  return given.map((address, index) => {
    const found = known.get(address)
    if (found === undefined && URL.parse(address)?.password === MASK) {
      const message = `must say its password: ${MASK} stands for the one of a stored proxy only`
      problems.at(['proxies', index])('format', message)
    }
    return found ?? address
  })
}

/** `http://user:***@host:3128`, however the address is spelt. */
export function maskProxy(address: string): string {
  const url = URL.parse(address)
  if (!url || url.password === '') return address
  return `${url.protocol}//${url.username}:${MASK}@${url.host}`
}

function checkProxy(address: string): string | null {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL of a proxy'
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return 'must hold no more than user, password, host and port'
  }
  return null
}
