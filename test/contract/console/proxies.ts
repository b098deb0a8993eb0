import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ConsoleServer, field } from './support.ts'

const PAGE = '<html><body><h1>502 Bad Gateway</h1></body></html>'

/** What stands before the server answers in its place. */
export function proxies({ server, data, signedIn }: ConsoleServer): void {
  describe('behind a proxy', () => {
    const answer = (page: Page, path: string, status: number) =>
      page.route(`**${path}`, (route) =>
        route.fulfill({ status, contentType: 'text/html', body: PAGE }),
      )

    test('console: an answer that is not of the server is told in words, and what was typed stays', async () => {
      const names = { singularName: 'beacon', pluralName: 'beacons', displayName: 'Beacon' }
      const attributes = { title: { type: 'string' } }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      const { page } = await signedIn('/content/beacons/new')
      await field(page, 'title').fill('Red')
      await answer(page, '/api/v1/beacons', 502)
      const save = page.getByRole('button', { name: 'Save', exact: true })
      await save.click()
      await page.getByText('The server cannot be reached just now (502)').waitFor()
      await page.unroute('**/api/v1/beacons')
      // A page that asks to sign in at the proxy is no answer either.
      await answer(page, '/api/v1/beacons', 200)
      await save.click()
      await page.getByText('has answered in its place (200)').waitFor()
      assert.equal(await field(page, 'title').inputValue(), 'Red')
      await page.unroute('**/api/v1/beacons')
      await save.click()
      await page.waitForURL(/beacons\/[^n]/)
    })

    test('console 6: an upload that a proxy refuses ends and says why; one whose session has ended asks to sign in', async () => {
      const { page } = await signedIn('/media')
      await answer(page, '/api/v1/media', 413)
      const input = page.locator('input[type=file]').first()
      const file = { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.from('large') }
      await input.setInputFiles(file)
      await page.getByText('too large (413)').waitFor()
      await page.unroute('**/api/v1/media')
      await page.request.delete(`${server().url}/api/v1/sign-in`)
      await input.setInputFiles(file)
      await page.getByText('Your session has ended').waitFor()
    })
  })
}
