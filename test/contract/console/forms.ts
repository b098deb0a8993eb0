import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ConsoleServer } from './support.ts'

/** What is typed is what is sent. */
export function forms({ data, signedIn }: ConsoleServer): void {
  describe('forms', () => {
    const press = (page: Page, name: string) =>
      page.getByRole('button', { name, exact: true }).click()
    const retype = async (page: Page, label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Backspace')
      await page.keyboard.type(text, { delay: 20 })
    }

    test('console: numbers of a plan and of a setting are sent as they are typed, and none when there is none', async () => {
      const { page } = await signedIn('/sell?plan=new')
      await page.getByLabel('Name').fill('Typed')
      await retype(page, 'Requests per month', '-1')
      await retype(page, 'Requests per minute', '')
      await press(page, 'Save')
      await page.getByText('requests_per_minute must be an integer').first().waitFor()
      await retype(page, 'Requests per minute', '250')
      await press(page, 'Save')
      await page.getByText('The plan was saved').waitFor()
      const plans = await data('GET', '/api/v1/plans?per_page=100')
      const typed = plans.find(({ name }: { name: string }) => name === 'Typed')
      assert.deepEqual([typed.requests_per_month, typed.requests_per_minute], [-1, 250])
      await data('DELETE', `/api/v1/plans/${typed.id}`)

      await page.goto(page.url().replace(/sell.*/, 'settings?area=graphql'))
      await retype(page, 'maxTokens', '')
      assert.equal(await page.getByRole('button', { name: 'Store' }).count(), 0)
      await retype(page, 'maxTokens', '4000')
      await press(page, 'Store')
      await page.getByText('graphql.maxTokens was stored').waitFor()
      const { maxTokens } = await data('GET', '/api/v1/settings/graphql')
      assert.equal(maxTokens.value, 4000)
      await data('PATCH', '/api/v1/settings/graphql', { body: { maxTokens: null } })
    })

    test('console: a secret setting is written without what hides it, and half a list is not stored', async () => {
      const { page } = await signedIn('/settings?area=delivery')
      await page.getByLabel('AllowedContentTypeAliases', { exact: true }).fill('["chart"')
      await page.getByText('This is not JSON yet').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Store' }).count(), 0)
      await data('PATCH', '/api/v1/settings/delivery', { body: { ApiKey: 'first-of-all' } })
      await page.reload()
      const secret = page.getByLabel('ApiKey', { exact: true })
      await secret.waitFor()
      assert.equal(await secret.inputValue(), '')
      await secret.fill('quay')
      const [request] = await Promise.all([
        page.waitForRequest((sent) => sent.method() === 'PATCH'),
        press(page, 'Store'),
      ])
      assert.deepEqual(request.postDataJSON(), { ApiKey: 'quay' })
      await page.getByText('delivery.ApiKey was stored').waitFor()
      await data('PATCH', '/api/v1/settings/delivery', { body: { ApiKey: null } })
    })

    test('console: a price that was only emptied stays, and refusals of a bulk change keep their products', async () => {
      const attributes = {
        sku: { type: 'string', unique: true },
        name: { type: 'string' },
        price: { type: 'decimal' },
        stock: { type: 'integer', max: 10 },
      }
      const names = { singularName: 'product', pluralName: 'products', displayName: 'Product' }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      const make = (sku: string): Promise<{ id: number }> =>
        data('POST', '/api/v1/products', { body: { sku, name: sku, price: 12.5, stock: 3 } })
      const [{ id: a }, { id: b }] = [await make('A1'), await make('B2')]
      const { page } = await signedIn('/shop')
      await retype(page, 'Price of A1', '')
      await page.keyboard.press('Tab')
      await page.locator('[aria-label="Price of A1"][value="12.5"]').waitFor()
      await retype(page, 'Price of B2', '0.5')
      const [saved] = await Promise.all([
        page.waitForResponse((answer) => answer.request().method() === 'PATCH'),
        page.keyboard.press('Enter'),
      ])
      assert.equal(saved.status(), 200)
      const price = async (id: number) => (await data('GET', `/api/v1/products/${id}`)).price
      assert.deepEqual([await price(a), await price(b)], [12.5, 0.5])

      await page.getByLabel('Select all on this page').check()
      assert.equal(await page.getByRole('button', { name: 'Set', exact: true }).isDisabled(), true)
      await page.getByLabel('To what').fill('11')
      await press(page, 'Set')
      await page.getByText('0 done, 2 refused').waitFor()
      const refused = page.getByRole('region', { name: 'Selected products' }).locator('li')
      const before = await refused.allTextContents()
      await page.getByLabel('Select row 1').uncheck()
      assert.deepEqual(await refused.allTextContents(), before)
      await data('DELETE', '/api/v1/content-types/product?force=true')
    })

    test('console: what has line breaks and spaces in its name can be deleted by typing it', async () => {
      const name = '  <b>two</b>  lines\nof שלום '
      const limits = { requests_per_month: 1, requests_per_minute: 1, endpoints: ['*'] }
      const { id } = await data('POST', '/api/v1/plans', { body: { name, ...limits } })
      const { page } = await signedIn('/sell')
      const card = page.getByRole('heading', { name: 'two' }).locator('..')
      await card.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(/to go on/).fill('<b>two</b> lines of שלום')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.waitFor({ state: 'hidden' })
      const plans: { id: number }[] = await data('GET', '/api/v1/plans?per_page=100')
      assert.ok(plans.every((plan) => plan.id !== id))
    })

    test('console: a number out of range is refused as it was typed, and an emptied last page leads back', async () => {
      const { page } = await signedIn('/sell?plan=new')
      await page.getByLabel('Name').fill('Below')
      await retype(page, 'Requests per minute', '-5')
      await press(page, 'Save')
      // It must not have become -1, which is no limit.
      await page
        .getByText(/requests_per_minute must be/)
        .first()
        .waitFor()
      const field = page.getByLabel('Requests per minute', { exact: true })
      assert.equal(await field.inputValue(), '-5')
      await page.goto(page.url().replace(/sell.*/, 'sell/users?page=3'))
      await press(page, 'Previous')
      await page.locator('tr[data-row]').first().waitFor()
    })

    test('console: digits typed right after Backspace in an empty number field stay in their order on a busy machine', async () => {
      const { page } = await signedIn('/sell?plan=new')
      const field = page.getByLabel('Requests per minute', { exact: true })
      await retype(page, 'Requests per minute', '')
      // Timers come late: that of Backspace after the first digit, those of the digits after the last.
      await page.evaluate(`
        window.late = []
        window.inTime = window.setTimeout
        window.setTimeout = (run, ms, ...rest) =>
          ms ? window.inTime(run, ms, ...rest) : window.late.push(() => run(...rest))
      `)
      await page.keyboard.press('Backspace')
      await page.evaluate('window.ofBackspace = window.late.splice(0)')
      await page.keyboard.type('2')
      await page.evaluate('for (const run of window.ofBackspace) run()')
      await page.keyboard.type('50')
      await page.evaluate('window.setTimeout = window.inTime; for (const run of window.late) run()')
      assert.equal(await field.inputValue(), '250')
    })

    test('console: what is typed into a setting stays when another tab stores a value of it', async () => {
      const { page } = await signedIn('/settings?area=graphql')
      await retype(page, 'maxTokens', '4000')
      await data('PATCH', '/api/v1/settings/graphql', { body: { maxTokens: 3000 } })
      // The settings are read again when one of them is stored here.
      await retype(page, 'maxHops', '9')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByText('graphql.maxHops was stored').waitFor()
      assert.equal(await page.getByLabel('maxTokens', { exact: true }).inputValue(), '4000')
      await press(page, 'Store')
      await page.getByText('graphql.maxTokens was stored').waitFor()
      const { maxTokens } = await data('GET', '/api/v1/settings/graphql')
      assert.equal(maxTokens.value, 4000)
      const forget = { body: { maxTokens: null, maxHops: null } }
      await data('PATCH', '/api/v1/settings/graphql', forget)
    })
  })
}
