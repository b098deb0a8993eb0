import { AsyncResource } from 'node:async_hooks'
import { before, describe } from 'node:test'
import { createCalls, type TestServer } from '#test-kit'
import { type Site, startSite } from './site.ts'

export const LOOPBACK = { ENTREPOT_SCRAPERS_ALLOW_NETS: '127.0.0.0/8,::1/128' }

export type Scraping = ReturnType<typeof scraping>

/** Shorthands for the scrapers of one server. */
export function scraping(url: () => string, key?: string) {
  const calls = createCalls(url, { prefix: '/api/v1', ...(key === undefined ? {} : { key }) })
  return { ...calls, create, start, finished, crawl, results, userKey }

  async function create(definition: object): Promise<number> {
    const body = { name: 'Test', rate_limit: 1000, ...definition }
    return (await calls.ok('POST', '/scrapers', { body })).id
  }

  async function start(id: number): Promise<number> {
    return (await calls.ok('POST', `/scrapers/${id}/run`)).run_id
  }

  /** The run when it is over. */
  async function finished(id: number, runId: number) {
    for (;;) {
      const run = await calls.ok('GET', `/scrapers/${id}/runs/${runId}?wait=60`)
      if (run.status !== 'pending' && run.status !== 'running') return run
    }
  }

  /** Creates, runs to the end, and answers the run with the id of its scraper. */
  async function crawl(definition: object) {
    const id = await create(definition)
    return finished(id, await start(id))
  }

  /** Another user with a key of the given level, on a plan that includes everything. */
  async function userKey(name: string, access = 'write') {
    const email = `${name}-${Math.random().toString(36).slice(2)}@scrapers.example`
    const user = await calls.data('POST', '/users', { body: { email, access } })
    const plan = await calls.data('POST', '/plans', {
      body: {
        ...{ name: `Plan of ${email}`, requests_per_month: -1, requests_per_minute: 6000 },
        ...{ endpoints: ['* /**'], price_monthly: '0.00' },
      },
    })
    const body = { user_id: user.id, plan_id: plan.id, name: access, access }
    const { key }: { key: string } = await calls.data('POST', '/keys', { body })
    return { key, userId: Number(user.id), planId: Number(plan.id), email }
  }

  async function results(id: number, query = '') {
    return (await calls.ok('GET', `/scrapers/${id}/results?per_page=1000${query}`)).data
  }
}

/** Tests on a server they share with others, with a site of their own. */
export function scraperSuite(
  name: string,
  define: (api: Scraping & { server: () => TestServer; site: () => Site }) => void,
) {
  return (server: () => TestServer) =>
    describe(name, () => {
      let site: Site | undefined
      before(
        AsyncResource.bind(async () => {
          site = await startSite()
        }),
      )
      const current = () => {
        if (!site) throw new Error('not started yet')
        return site
      }
      define({ ...scraping(() => server().url), server, site: current })
    })
}
