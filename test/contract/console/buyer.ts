import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertPrompt, until } from '#test-kit'
import type { ConsoleServer } from './support.ts'

const EMAIL = 'buyer@example.com'
const PASSWORD = 'buys what is published 1'

export function buyer({ server, call, data, visit }: ConsoleServer): void {
  describe('a buyer', () => {
    test('console 7: sees own keys and usage within two seconds, and no admin data in any answer', async () => {
      const user = await data('POST', '/api/v1/users', {
        body: { email: EMAIL, access: 'read', password: PASSWORD },
      })
      const plan = await data('POST', '/api/v1/plans', {
        body: { name: 'For buyers', requests_per_month: 1000, requests_per_minute: 100 },
      })
      const body = { user_id: user.id, plan_id: plan.id, name: 'shop window' }
      const { key } = await data('POST', '/api/v1/keys', { body })
      const other = await data('POST', '/api/v1/users', {
        body: { email: 'somebody-else@example.com', access: 'write' },
      })
      await data('POST', '/api/v1/keys', {
        body: { user_id: other.id, plan_id: plan.id, name: 'not for buyers' },
      })

      const { page, complaints } = await visit('/')
      const bodies: Promise<string>[] = []
      page.on('response', (response) => {
        const type = response.headers()['content-type'] ?? ''
        if (type.includes('json')) bodies.push(response.text().catch(() => ''))
      })
      const { url } = server()
      await page.request.post(`${url}/api/v1/sign-in`, {
        data: { email: EMAIL, password: PASSWORD },
      })
      await page.goto(`${url}/console/mine`)
      const areas = page.getByRole('navigation', { name: 'Areas' })
      await areas.getByText('My keys and usage').waitFor()
      assert.equal(await areas.getByText('Gateway').count(), 0)
      assert.equal(await areas.getByText('Sell').count(), 0)
      await page.locator('tr[data-row]', { hasText: 'shop window' }).waitFor()
      await page.getByText('This month').first().waitFor()
      await call('GET', '/api/v1/plans', { key })
      const today = page.getByText('Today', { exact: true }).locator('..')
      const askedMs = performance.now()
      await today.getByText('1', { exact: true }).waitFor()
      assertPrompt(performance.now() - askedMs, 4_000)
      await page.goto(`${url}/console/webhooks`)
      await page.getByText('Nobody is told yet').waitFor()
      const told = (await Promise.all(bodies)).join('\n')
      assert.match(told, /shop window/)
      assert.doesNotMatch(told, /somebody-else|not for buyers|memory_bytes/)
      assert.deepEqual(complaints, [])
    })

    test('console §1: an editor can open every area that is shown, and no other', async () => {
      const account = { email: 'editor@example.com', password: 'writes what is published 1' }
      await data('POST', '/api/v1/users', { body: { ...account, access: 'write' } })
      const { page, complaints } = await visit('/')
      const { url } = server()
      await page.request.post(`${url}/api/v1/sign-in`, { data: account })
      await page.goto(`${url}/console/`)
      const areas = page.getByRole('navigation', { name: 'Areas' })
      // Read at one moment: the list is drawn again while the page gets to know who looks at it.
      const paths = await until(async () => {
        const links = areas.getByRole('link')
        const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
        return hrefs.includes('/console/api') && !hrefs.includes('/console/sell') && hrefs
      })
      const refused: string[] = []
      page.on('response', (answer) => {
        if (answer.status() === 403) refused.push(answer.url())
      })
      for (const path of paths) {
        await page.goto(`${url}${path}`)
        await page.locator('main h1').waitFor()
      }
      for (const path of ['/sell', '/sell/users', '/types', '/gateway', '/settings', '/home']) {
        await page.goto(`${url}/console${path}`)
        await page.getByText('There is no such screen').waitFor()
      }
      assert.deepEqual([refused, complaints], [[], []])
    })

    test('console §1: a buyer is offered the plans that are sold by themselves, and no key where there are none', async () => {
      const account = { email: 'self-service@example.com', password: 'buys what is published 1' }
      const { id } = await data('POST', '/api/v1/users', { body: { ...account, access: 'read' } })
      const limits = { requests_per_month: 1_000, requests_per_minute: 100 }
      const { page, complaints } = await visit('/')
      const { url } = server()
      await page.request.post(`${url}/api/v1/sign-in`, { data: account })
      await page.goto(`${url}/console/mine`)
      await page.getByText('Whoever runs this server issues keys').waitFor()
      assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0)
      const sold = { name: 'Sold by itself', keys_per_user: 1, ...limits }
      const plan = await data('POST', '/api/v1/plans', { body: sold })
      await page.reload()
      await page.getByRole('button', { name: 'New key' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'New key' })
      const plans = dialog.getByLabel('Plan').locator('option')
      assert.deepEqual(await plans.allTextContents(), ['Sold by itself'])
      await dialog.getByRole('button', { name: 'Make the key' }).click()
      await dialog.getByText('Shown this once').waitFor()
      assert.deepEqual(complaints, [])
      await call('DELETE', `/api/v1/users/${id}`)
      await data('DELETE', `/api/v1/plans/${plan.id}`)
    })

    test('console §1: a level that is taken away while somebody is signed in is no longer shown', async () => {
      const account = { email: 'demoted@example.com', password: 'writes what is published 1' }
      const { id } = await data('POST', '/api/v1/users', { body: { ...account, access: 'admin' } })
      const { page } = await visit('/')
      const { url } = server()
      await page.request.post(`${url}/api/v1/sign-in`, { data: account })
      await page.goto(`${url}/console/mine?key=new`)
      const levels = page.getByRole('dialog').getByLabel('Level').locator('option')
      await levels.first().waitFor({ state: 'attached' })
      assert.deepEqual(await levels.allTextContents(), ['read', 'write', 'admin'])
      await page.keyboard.press('Escape')
      const areas = page.getByRole('navigation', { name: 'Areas' })
      await areas.getByText('Gateway').waitFor()
      await data('PATCH', `/api/v1/users/${id}`, { body: { access: 'read' } })
      await areas.getByText('Gateway').click()
      await areas.getByText('Gateway').waitFor({ state: 'detached' })
      const limits = { requests_per_month: 1_000, requests_per_minute: 100 }
      const body = { name: 'For the demoted', keys_per_user: 1, ...limits }
      const plan = await data('POST', '/api/v1/plans', { body })
      await page.goto(`${url}/console/mine?key=new`)
      await levels.first().waitFor({ state: 'attached' })
      assert.deepEqual(await levels.allTextContents(), ['read'])
      await data('DELETE', `/api/v1/users/${id}`)
      await data('DELETE', `/api/v1/plans/${plan.id}`)
    })
  })
}
