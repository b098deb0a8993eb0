import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConsoleServer } from './support.ts'

/** What is open is in the URL (contract §1). */
export function openRecords({ server, call, data, ok, signedIn }: ConsoleServer): void {
  describe('open records', () => {
    test('console §1: open users, keys, clients, languages, orders and writes are in the URL, and a link opens them', async () => {
      const plan = await data('POST', '/api/v1/plans', {
        body: { name: 'Opened', requests_per_month: 10, requests_per_minute: 10 },
      })
      const user = await data('POST', '/api/v1/users', { body: { email: 'opened@example.com' } })
      const owned = { user_id: user.id, plan_id: plan.id }
      const key = await data('POST', '/api/v1/keys', { body: { ...owned, name: 'opened key' } })
      const client = await data('POST', '/api/v1/oauth/clients', {
        body: { ...owned, name: 'Opened client', scopes: ['read'] },
      })
      const product = { singularName: 'product', pluralName: 'products' }
      const attributes = {
        ...{ sku: { type: 'string' }, name: { type: 'string' }, price: { type: 'decimal' } },
        ...{ stock: { type: 'integer' }, is_in_stock: { type: 'boolean' } },
      }
      await data('POST', '/api/v1/content-types', { body: { ...product, attributes } })
      const items = [{ sku: 'unknown', name: 'Rope', price: 5, qty_ordered: 1 }]
      const order = await ok('POST', '/rest/V1/orders', { body: { entity: { items } } })
      const route = '/gateway/admin/routes/opened'
      const upstream = { nodes: { '127.0.0.1:9': 1 } }
      await call('PUT', route, { body: { uri: '/opened', upstream } })
      const { page, complaints } = await signedIn('/sell/users')
      const opened: readonly (readonly [string, string, RegExp, string])[] = [
        ['/sell/users', 'user', /opened@example.com/, 'opened@example.com'],
        ['/sell/keys', 'key', /opened key/, 'Key opened key'],
        ['/settings/clients', 'client', /Opened client/, 'Opened client'],
        ['/settings/languages', 'language', /en/, 'English'],
        ['/shop/orders', 'order', new RegExp(order.increment_id), `Order ${order.increment_id}`],
        ['/gateway/history', 'write', /routes\/opened/, 'Revision'],
      ]
      for (const [path, name, row, title] of opened) {
        await page.goto(`${server().url}/console${path}`)
        await page.locator('tr[data-row]', { hasText: row }).first().click()
        const dialog = page.getByRole('dialog', { name: title })
        await dialog.waitFor()
        assert.ok(new URL(page.url()).searchParams.has(name), page.url())
        await page.reload()
        await dialog.waitFor()
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'hidden' })
        assert.equal(new URL(page.url()).searchParams.has(name), false)
        await page.goBack()
        await dialog.waitFor()
      }
      await page.goto(`${server().url}/console/sell/users?page=abc`)
      await page.locator('tr[data-row]', { hasText: 'opened@example.com' }).waitFor()
      const search = page.getByLabel('Search users')
      await search.fill('opened')
      await page.waitForURL(/q=opened/)
      await page.goBack()
      await page.waitForURL((asked) => !asked.searchParams.has('q'))
      await search.and(page.locator('[value=""]')).waitFor()
      await page.goForward()
      await search.and(page.locator('[value="opened"]')).waitFor()
      // The list shows others: it is asked for, and said when it is gone.
      await page.goto(`${server().url}/console/sell/users?q=nobody&user=${user.id}`)
      await page.getByRole('dialog', { name: 'opened@example.com' }).waitFor()
      await page.goto(`${server().url}/console/shop/orders?order=987654`)
      await page
        .getByRole('dialog')
        .getByText(/987654/)
        .waitFor()
      assert.deepEqual(complaints, [])
      await call('DELETE', route)
      await ok('DELETE', '/api/v1/content-types/product?force=true')
      await ok('DELETE', `/api/v1/oauth/clients/${client.id}`)
      await ok('POST', `/api/v1/keys/${key.id}/revoke`)
      await ok('DELETE', `/api/v1/users/${user.id}`)
    })

    test('console: a user and a language are saved without undoing what another tab has changed', async () => {
      const email = 'two-tabs@example.com'
      const { id } = await data('POST', '/api/v1/users', { body: { email, access: 'admin' } })
      const { page } = await signedIn(`/sell/users?user=${id}`)
      const dialog = page.getByRole('dialog', { name: email })
      await dialog.getByLabel('Name').fill('Mate')
      await ok('PATCH', `/api/v1/users/${id}`, { body: { access: 'read' } })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'hidden' })
      const { name, access } = await data('GET', `/api/v1/users/${id}`)
      assert.deepEqual([name, access], ['Mate', 'read'])
      await ok('DELETE', `/api/v1/users/${id}`)
    })
  })
}
