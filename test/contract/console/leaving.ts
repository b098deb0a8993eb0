import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ConsoleServer } from './support.ts'

/** Leaving with unsaved changes asks, wherever somebody writes. */
export function leaving({ data, ok, signedIn }: ConsoleServer): void {
  describe('leaving', () => {
    before(async () => {
      const names = { singularName: 'mole', pluralName: 'moles', displayName: 'Mole' }
      const attributes = { title: { type: 'string' }, length: { type: 'integer' } }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      await data('POST', '/api/v1/components', { body: { name: 'bollard', attributes } })
    })

    const press = (page: Page, name: string) =>
      page.getByRole('button', { name, exact: true }).click()

    for (const [what, path] of [
      ['type', '/types/mole'],
      ['component', '/types/components/default.bollard'],
    ] as const) {
      test(`console 5: an unsaved ${what} asks before it is left, and stays when the model is read again`, async () => {
        const { page } = await signedIn(path)
        await press(page, 'Remove length')
        await page.getByRole('link', { name: 'Media' }).click()
        await press(page, 'Stay')
        const api =
          what === 'type' ? '/api/v1/content-types/mole' : '/api/v1/components/default.bollard'
        await data('PATCH', api, { body: { attributes: { depth: { type: 'float' } } } })
        const read = page.waitForResponse(/content-model/)
        // Longer than the model counts as fresh; the page is looked at again.
        await page.evaluate(`
          const late = Date.now() + 60_000
          Date.now = () => late
          document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
        `)
        await read
        assert.equal(await page.getByRole('button', { name: 'Remove length' }).count(), 0)
        await press(page, 'Review the change')
        await page.getByRole('dialog').getByText('length').waitFor()
        await press(page, 'Make the change')
        await page.getByText(`The ${what} is changed`).waitFor()
        await page.getByRole('button', { name: 'Remove depth' }).waitFor()
        await page.getByRole('link', { name: 'Media' }).click()
        await page.getByRole('heading', { name: 'Media' }).waitFor()
      })
    }

    test('console 10: an unsaved scraper asks before it is left, a saved one does not', async () => {
      const { page } = await signedIn('/scrapers/new/edit')
      await page.getByLabel('Name').first().fill('Tides')
      await press(page, 'Back')
      await press(page, 'Stay')
      await page.getByLabel('Begins at').fill('https://example.com/')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.waitForURL(/scrapers\/[^/]+$/)
      await ok('DELETE', `/api/v1/scrapers/${page.url().split('/').at(-1)}`)
    })

    test('console: an open plan is in the URL, asks before it is closed, and a save keeps what another tab has changed', async () => {
      const body = { name: 'Deckhand', requests_per_month: 100, requests_per_minute: 10 }
      const { id } = await data('POST', '/api/v1/plans', { body: { ...body, endpoints: ['*'] } })
      const { page } = await signedIn(`/sell?plan=${id}`)
      const dialog = page.getByRole('dialog', { name: 'Plan Deckhand' })
      await dialog.getByLabel('Requests per minute').fill('20')
      await page.keyboard.press('Escape')
      await page.getByText('Leave without saving?').waitFor()
      await press(page, 'Stay')
      await ok('PATCH', `/api/v1/plans/${id}`, { body: { price_monthly: 9 } })
      await press(page, 'Save')
      await dialog.waitFor({ state: 'hidden' })
      const { requests_per_minute, price_monthly } = await data('GET', `/api/v1/plans/${id}`)
      assert.deepEqual([requests_per_minute, price_monthly], [20, 9])
      await ok('DELETE', `/api/v1/plans/${id}`)
    })
  })
}
