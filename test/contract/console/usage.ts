import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConsoleServer } from './support.ts'

const PASSWORD = 'counts what is used 1'
const EMAIL = 'counting@example.com'
/** Console 7: figures are so far behind at most; the rest is for a busy machine. */
const BEHIND_MS = 2_000 + 2_000

export function usageOfKeys({ server, call, data, visit, assertSound }: ConsoleServer): void {
  describe('usage', () => {
    test('access 18, console 7: at /usage a key is enough to see its figures live, and stays in the tab', async () => {
      const user = await data('POST', '/api/v1/users', {
        body: { email: EMAIL, access: 'read', password: PASSWORD },
      })
      const plan = await data('POST', '/api/v1/plans', {
        body: { name: 'Ten', requests_per_month: 10, requests_per_minute: 100 },
      })
      const body = { user_id: user.id, plan_id: plan.id, name: 'counted' }
      const { id, key } = await data('POST', '/api/v1/keys', { body })
      const { page, complaints } = await visit('/', { viewport: { width: 390, height: 844 } })
      const urls: string[] = []
      page.on('request', (request) => urls.push(request.url()))
      await page.goto(`${server().url}/usage`)
      await page.getByLabel('API key').fill('nonsense')
      await page.getByRole('button', { name: 'Show usage' }).click()
      await page.getByText('Invalid API key').waitFor()
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Show usage' }).click()
      await page.getByText(`Key ${key.slice(0, 8)}…`).waitFor()
      await page.getByText('live', { exact: true }).waitFor()
      await assertSound(page, 'usage-390-light')

      await call('GET', '/api/v1/plans', { key })
      const today = page.getByText('Today', { exact: true }).locator('..')
      await today.getByText('1', { exact: true }).waitFor({ timeout: BEHIND_MS })
      for (let n = 0; n < 7; n++) await call('GET', '/api/v1/plans', { key })
      await page.getByText('80 % of this month is used: 8 of 10.').waitFor()

      const kept = await page.evaluate(
        '({ tab: Object.values(sessionStorage).join(), local: localStorage.length, cookie: document.cookie })',
      )
      const { tab, ...elsewhere } = Object(kept)
      assert.ok(tab.includes(key))
      assert.deepEqual(elsewhere, { local: 0, cookie: '' })
      for (const url of urls) assert.ok(!url.includes(key), url)
      await page.reload()
      await today.getByText('8', { exact: true }).waitFor()
      await call('DELETE', `/api/v1/keys/${id}`)
      await page.getByText('API key revoked').waitFor()
      await page.getByRole('button', { name: 'Use another key' }).first().click()
      await page.getByLabel('API key').waitFor()
      const after = String(await page.evaluate('Object.values(sessionStorage).join()'))
      assert.ok(!after.includes(key))
      assert.deepEqual(complaints, [])
    })

    test('access 18: signed in, /usage shows the own keys; a browser opens the stream by cookie and by ticket', async () => {
      const { page } = await visit('/')
      await page.request.post(`${server().url}/api/v1/sign-in`, {
        data: { email: EMAIL, password: PASSWORD },
      })
      await page.goto(`${server().url}/usage`)
      await page.getByRole('heading', { name: 'My keys and usage' }).waitFor()
      await page.getByText('live', { exact: true }).waitFor()
      const first = (address: string) =>
        page.evaluate(`(async () => {
          const source = new EventSource(${address})
          const event = await new Promise((take) => source.addEventListener('usage', take))
          source.close()
          return typeof JSON.parse(event.data).today
        })()`)
      assert.equal(await first("'/api/v1/usage/stream'"), 'number')
      const ticket = `(await (await fetch('/api/v1/stream-tickets', { method: 'POST' })).json()).data.ticket`
      assert.equal(await first(`'/api/v1/usage/stream?ticket=' + ${ticket}`), 'number')
    })
  })
}
