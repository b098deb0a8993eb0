import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { before, describe, test } from 'node:test'
import { html, type Site, startSite } from '../scrapers/site.ts'
import type { ConsoleServer } from './support.ts'

const OFFERS = `<html><body><h1>Offers</h1>
  <div class="offer"><h2>Anchor</h2><b class="price">12.50</b></div>
  <div class="offer"><h2>Rope</h2><b class="price">3.20</b></div>
  <a href="/offers/more">more</a></body></html>`
const MORE =
  '<html><body><div class="offer"><h2>Sail</h2><b class="price">99.00</b></div></body></html>'

export function scraperScreens({ data, ok, signedIn }: ConsoleServer): void {
  describe('scrapers', () => {
    let site: Site
    before(
      AsyncResource.bind(async () => {
        site = await startSite()
      }),
    )

    test('console 10: rules are edited with preview, a run shows its progress and results, and its entries open', async () => {
      const release = Promise.withResolvers<void>()
      site.on('/offers', (_request, response) => html(response, OFFERS))
      site.on('/offers/more', (_request, response) => {
        void release.promise.then(() => html(response, MORE))
      })
      const { page, complaints } = await signedIn('/scrapers')
      // Kept to be asked afterwards whether they are still open.
      await page.evaluate(`
        window.streams = []
        window.EventSource = class extends EventSource {
          constructor(url) { super(url); streams.push(this) }
        }
      `)
      await page.getByRole('button', { name: 'New scraper' }).first().click()
      await page.getByLabel('Name', { exact: false }).first().fill('Offers of the quay')
      await page.getByLabel('Begins at').fill(`${site.url}/offers`)
      await page.getByLabel('Each item is').fill('.offer')
      for (const [name, selector] of [
        ['title', 'h1'],
        ['price', '.price'],
      ]) {
        await page.getByRole('button', { name: 'Field', exact: true }).click()
        await page.getByPlaceholder('title').last().fill(String(name))
        await page.getByPlaceholder('h1').last().fill(String(selector))
      }
      await page.getByRole('button', { name: 'Fetch the page' }).click()
      const found = page.getByRole('table', { name: 'Found' })
      await found.first().getByText('nothing').waitFor()
      await page.getByLabel('Selector of field 1').fill('h2')
      await page.getByRole('button', { name: 'Fetch the page' }).click()
      await found.first().getByText('Anchor').waitFor()
      await found.nth(1).getByText('3.20').waitFor()

      const rest = {
        rate_limit: 1_000,
        output: { collection: 'offers', create: true, map: { title: 'title', price: 'price' } },
      }
      await page.locator('.cm-content').fill(JSON.stringify(rest))
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('It has not run yet').waitFor()
      await page.getByRole('button', { name: 'Run now' }).click()
      const items = page.getByText('Items', { exact: true }).locator('..')
      await page.getByText('running', { exact: true }).waitFor()
      await items.getByText('2', { exact: true }).waitFor()
      release.resolve()
      await page.getByText('completed', { exact: true }).waitFor()
      await items.getByText('3', { exact: true }).waitFor()
      const open = await page.evaluate(
        'streams.filter(({ readyState }) => readyState !== 2).length',
      )
      assert.equal(open, 0, 'nothing is asked for again once the run is over')
      const results = page.getByRole('table', { name: 'Results' })
      await results.getByText('Sail').waitFor()
      await page.getByRole('tab', { name: 'Log' }).click()
      await page.getByRole('log').waitFor()
      await page.getByRole('tab', { name: 'Results' }).click()
      await results.locator('tr[data-row]', { hasText: 'Sail' }).click()
      await page.waitForURL(/content\/offers\/[0-9a-f-]{36}/)
      await page.getByRole('heading', { name: 'Sail' }).waitFor()
      const entries = await data('GET', '/api/v1/offers?sort=title&status=all')
      assert.ok(entries.some(({ title }: { title: string }) => title === 'Sail'))
      assert.deepEqual(complaints, [])
    })

    test('console 10: what is taken out of the text of a scraper is no longer set', async () => {
      const body = {
        name: 'Narrower',
        url: `${site.url}/offers`,
        headers: { 'x-visitor': 'console' },
        crawl: { max_depth: 7, max_pages: 9 },
      }
      const { id } = await ok('POST', '/api/v1/scrapers', { body })
      const { page } = await signedIn(`/scrapers/${id}/edit`)
      await page.locator('.cm-content').getByText('x-visitor').waitFor()
      await page.locator('.cm-content').fill('{"crawl":{"max_pages":9}}')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('The scraper was saved').waitFor()
      const { headers, crawl } = await ok('GET', `/api/v1/scrapers/${id}`)
      assert.deepEqual([headers, crawl.max_depth, crawl.max_pages], [{}, 3, 9])
      await ok('DELETE', `/api/v1/scrapers/${id}`)
    })

    test('console 10: a save of a scraper leaves what another has changed meanwhile', async () => {
      const body = { name: 'Shared', url: `${site.url}/offers`, crawl: { max_depth: 7 } }
      const { id } = await ok('POST', '/api/v1/scrapers', { body })
      const { page } = await signedIn(`/scrapers/${id}/edit`)
      await page.getByLabel('Name', { exact: false }).first().fill('Shared by two')
      const change = { rate_limit: 3, crawl: { max_pages: 9 } }
      await ok('PATCH', `/api/v1/scrapers/${id}`, { body: change })
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('The scraper was saved').waitFor()
      const { name, rate_limit, crawl } = await ok('GET', `/api/v1/scrapers/${id}`)
      const kept = [name, rate_limit, crawl.max_depth, crawl.max_pages]
      assert.deepEqual(kept, ['Shared by two', 3, 7, 9])
      await ok('DELETE', `/api/v1/scrapers/${id}`)
    })

    test('console 10: a scraper with several faults is refused with each of them, and half a text is not thrown away', async () => {
      const { page } = await signedIn('/scrapers/new/edit')
      await page.getByRole('textbox', { name: 'Name' }).first().fill('Faulty')
      await page.getByLabel('Begins at').fill('https://example.com/')
      const rest = page.getByRole('textbox', { name: 'Everything else' })
      for (let field = 1; field <= 2; field++) {
        await page.getByRole('button', { name: 'Field', exact: true }).click()
        await page.getByLabel(`Name of field ${field}`).fill('title')
      }
      await page.getByText('There is one of this name').waitFor()
      await rest.fill('{ "crawl": { "max_pages": 0 }, "rate": 1 ')
      const save = page.getByRole('button', { name: 'Save' }).first()
      await save.click()
      await page.getByText('Everything else is not JSON yet').waitFor()
      await rest.fill('{ "crawl": { "max_pages": 0, "max_depth": -1 } }')
      await save.click()
      const fault = page.getByRole('alert').filter({ hasText: 'crawl.max_pages must be' })
      await fault.getByText(/crawl.max_depth must be/).waitFor()
    })
  })
}
