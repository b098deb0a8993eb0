import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { until } from '#test-kit'
import { assertLegible, type ConsoleServer } from './support.ts'

const VIEWS = [
  { width: 1440, height: 900, colours: ['light', 'dark'] },
  { width: 390, height: 844, colours: ['dark', 'light'] },
] as const
const SCREENS = fileURLToPath(new URL('../../../console/src/screens', import.meta.url))

/** Each with what is on it once it is there. */
type Visited = readonly [path: string, heading: string | RegExp]

const FIXED: readonly Visited[] = [
  ['/welcome', 'First steps'],
  ['/home', 'Home'],
  ['/content', 'Content'],
  ['/content/logs', 'Log entry'],
  ['/content/vessels/new', 'New vessel'],
  ['/media', 'Media'],
  ['/types', 'Types'],
  ['/types/new', 'New type'],
  ['/types/components/new', 'New component'],
  ['/types/components/sea.mark', 'Mark'],
  ['/types/vessel', 'Vessel'],
  ['/types/graph', 'Relations'],
  ['/scrapers', 'Scrapers'],
  ['/scrapers/new/edit', 'New scraper'],
  ['/shop', 'Products'],
  ['/shop/orders', 'Orders'],
  ['/sell', 'Sell'],
  ['/sell/users', 'Users'],
  ['/sell/keys', 'Keys'],
  ['/sell/usage', 'Usage'],
  ['/sell/invoices', 'Invoices'],
  ['/mine', 'My keys and usage'],
  ['/webhooks', 'Webhooks'],
  ['/webhooks/event-types', 'Event types'],
  ['/webhooks/live', 'Live'],
  ['/gateway', 'Gateway'],
  ['/gateway/services', 'Services'],
  ['/gateway/upstreams', 'Upstreams'],
  ['/gateway/consumers', 'Consumers'],
  ['/gateway/global_rules', 'Global rules'],
  ['/gateway/plugin_configs', 'Plugin configs'],
  ['/gateway/ssls', 'Certificates'],
  ['/gateway/explain?uri=/harbour/news', 'Explain'],
  ['/gateway/history', 'History'],
  ['/gateway/routes/harbour', 'Route harbour'],
  ['/gateway/ssls/new', 'New certificate'],
  ['/api', 'API'],
  ['/settings', 'Settings'],
  ['/settings/languages', 'Languages'],
  ['/settings/clients', 'OAuth clients'],
  ['/settings/backups', 'Backups'],
  ['/settings/log', 'Log'],
]

export function everyScreen({ data, ok, signedIn, assertSound }: ConsoleServer): void {
  describe('every screen', () => {
    before(async () => {
      const attributes = {
        sku: { type: 'string' },
        name: { type: 'string' },
        price: { type: 'decimal' },
        stock: { type: 'integer' },
      }
      const names = { singularName: 'product', pluralName: 'products', displayName: 'Product' }
      const body = { ...names, displayField: 'name', attributes }
      await data('POST', '/api/v1/content-types', { body })
      const product = { sku: 'A-1', name: 'Anchor', price: 12.5, stock: 3 }
      await data('POST', '/api/v1/products', { body: product })
    })

    test('console 11, 12: in light and dark, at 1440 and 390 pixels, nothing overflows, is empty or shuts people out', async () => {
      const screens = [...FIXED, ...(await screensOfRecords())]
      assertAllVisited(screens.map(([path]) => path))
      // Side by side: each waits for the server most of the time.
      const half = Math.ceil(screens.length / 2)
      await Promise.all([look(screens.slice(0, half)), look(screens.slice(half))])
    })

    test('console 12: long names of types and attributes fit a phone', async () => {
      const name = 'a'.repeat(50)
      const attribute = 'b'.repeat(60)
      const displayName = 'C'.repeat(100)
      const names = { singularName: name, pluralName: `${name.slice(1)}s`, displayName }
      const attributes = { [attribute]: { type: 'string', required: true, unique: true } }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      const title = 'd'.repeat(200)
      const body = { [attribute]: title }
      const { document_id } = await data('POST', `/api/v1/${names.pluralName}`, { body })
      const { page } = await signedIn('/welcome')
      await page.setViewportSize({ width: 390, height: 844 })
      const list = `/content/${names.pluralName}`
      const screens: readonly Visited[] = [
        [list, displayName],
        [`${list}/${document_id}`, title],
        [`/types/${name}`, displayName],
        ['/types', 'Types'],
      ]
      for (const [path, heading] of screens) {
        await open(page, path, heading)
        await assertSound(page, `long-${nameOf(path).slice(0, 20)}`)
      }
      await ok('DELETE', `/api/v1/content-types/${name}?force=true`)
    })

    /** Each is loaded once, and shown in every width and colour. */
    async function look(screens: readonly Visited[]): Promise<void> {
      const { page, complaints } = await signedIn('/welcome')
      for (const [path, heading] of screens) {
        await page.emulateMedia({ colorScheme: VIEWS[0].colours[0] })
        await page.setViewportSize(VIEWS[0])
        await open(page, path, heading)
        for (const { width, height, colours } of VIEWS) {
          const [first, other] = colours
          await page.setViewportSize({ width, height })
          await page.emulateMedia({ colorScheme: first })
          await assertSound(page, `${nameOf(path)}-${width}-${first}`)
          await page.emulateMedia({ colorScheme: other })
          await assertLegible(page, `${nameOf(path)}-${width}-${other}`)
        }
      }
      assert.deepEqual(complaints, [])
    }

    /** Of what the tests before have made. */
    async function screensOfRecords(): Promise<Visited[]> {
      const vessels = await data('GET', '/api/v1/vessels?status=all&per_page=100')
      const { document_id: id } = vessels.find(({ name }: { name: string }) => /rka/.test(name))
      const [file] = await data('GET', '/api/v1/media')
      const [scraper] = await data('GET', '/api/v1/scrapers')
      const { run_id } = await ok('GET', `/api/v1/scrapers/${scraper.id}/status`)
      const [hook] = await data('GET', '/webhooks/subscriptions')
      const [delivery] = await data('GET', `/webhooks/subscriptions/${hook.id}/deliveries`)
      return [
        [`/content/vessels/${id}`, 'Šárka of the North'],
        [`/content/vessels/${id}/history`, 'History of Šárka of the North'],
        [`/media/${file.id}`, file.name],
        [`/scrapers/${scraper.id}`, scraper.name],
        [`/scrapers/${scraper.id}/edit`, scraper.name],
        [`/scrapers/${scraper.id}/runs/${run_id}`, `Run ${run_id}`],
        [`/webhooks/${hook.id}`, hook.endpoint_url],
        [`/webhooks/${hook.id}/${delivery.id}`, delivery.event_type],
      ]
    }
  })
}

/** As a click does it: without loading the page again. */
async function open(page: Page, path: string, heading: string | RegExp): Promise<void> {
  const address = JSON.stringify(`/console${path}`)
  await page.evaluate(
    `history.pushState({}, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
  const waiting = page.locator('main [data-visible]:is(.mantine-Skeleton-root)')
  await until(async () => (await waiting.count()) === 0, { what: `all of ${path}` })
}

/** A screen that is added without a line above is noticed. */
function assertAllVisited(visited: readonly string[]): void {
  const patterns = globSync(`${SCREENS}/*/area.ts`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/path: '([^']+)', load/g)].map(
      ([, path]) => path ?? '',
    ),
  )
  assert.ok(patterns.length > 30)
  const missing = patterns.filter((pattern) => {
    const wanted = new RegExp(`^${pattern.replaceAll(/\$\w+/g, '[^/?]+')}(\\?|$)`)
    return !visited.some((path) => wanted.test(path))
  })
  assert.deepEqual(missing, [])
}

function nameOf(path: string): string {
  return path
    .slice(1)
    .replaceAll(/[0-9a-f-]{36}/g, 'one')
    .replaceAll(/[^\w.]+/g, '-')
}
