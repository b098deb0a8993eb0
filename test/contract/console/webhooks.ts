import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { before, describe, test } from 'node:test'
import { assertPrompt } from '#test-kit'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { type ConsoleServer, hasFocus, tabTo } from './support.ts'

/** Console 8: shown after so long at most. */
const WITHIN_MS = 1_000
/** One of them may meet a busy machine. */
const TRIES = 5

export function webhookScreens({ data, ok, signedIn, server }: ConsoleServer): void {
  describe('webhooks', () => {
    let receiver: Receiver
    before(
      AsyncResource.bind(async () => {
        receiver = await startReceiver()
        const attributes = { title: { type: 'string' } }
        const names = { singularName: 'signal', pluralName: 'signals', displayName: 'Signal' }
        const body = { ...names, displayField: 'title', attributes }
        await data('POST', '/api/v1/content-types', { body })
      }),
    )

    test('console 8, 11: a failing delivery is seen, opened and sent again by keyboard, and is green', async () => {
      let isWell = false
      receiver.answer('/hook', (_request, response) => {
        if (isWell) response.end('taken')
        else response.writeHead(500).end('not today')
      })
      const { page, complaints } = await signedIn('/webhooks')
      await tabTo(page, page.getByRole('button', { name: 'New subscription' }).first())
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Endpoint').waitFor()
      await tabTo(page, dialog.getByLabel('Endpoint'))
      await page.keyboard.type(`${receiver.url}/hook`)
      await tabTo(page, dialog.getByRole('combobox', { name: 'Events' }))
      await page.keyboard.type('signal.created')
      await page.getByRole('option', { name: 'signal.created' }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await tabTo(page, dialog.getByRole('button', { name: 'Subscribe' }))
      await page.keyboard.press('Enter')
      await tabTo(page, dialog.getByRole('button', { name: 'Open it' }))
      await data('POST', '/api/v1/signals', { body: { title: 'Storm' } })
      await page.keyboard.press('Enter')

      await page.getByText(/failing, \d in a row/).waitFor()
      const row = page.locator('tr[data-row]', { hasText: 'signal.created' })
      await row.getByText('500').waitFor()
      const subscription = page.url()

      await page.goto(`${server().url}/console/home`)
      const trouble = page.getByRole('alert').getByRole('link', { name: `${receiver.url}/hook` })
      await tabTo(page, trouble)
      await page.keyboard.press('Enter')
      await page.waitForURL(`${subscription}?consumer_id=*`)

      await tabTo(page, page.locator('tr[data-row]').first())
      while (!(await hasFocus(page, row))) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Answer' }).waitFor()
      await page.getByText('not today').waitFor()
      await page.getByText(/"content_type": "signal"/).waitFor()

      isWell = true
      await tabTo(page, page.getByRole('button', { name: 'Send again' }))
      await page.keyboard.press('Enter')
      await page.getByText('succeeded', { exact: true }).waitFor()
      await page.getByText('taken', { exact: true }).waitFor()
      assert.ok(receiver.on('/hook').length > 1)
      assert.deepEqual(complaints, [])
    })

    test('console 8: the live tail shows an event within a second', async () => {
      const { page, complaints } = await signedIn('/media')
      const opened = page.waitForResponse(/\/webhooks\/stream/)
      await page.goto(`${server().url}/console/webhooks/live`)
      await opened
      const events = page.getByRole('log', { name: 'Events' })
      let fastestMs = Number.POSITIVE_INFINITY
      for (let n = 0; n < TRIES && fastestMs > WITHIN_MS; n++) {
        const title = `Flare ${n}`
        const { document_id } = await data('POST', '/api/v1/signals', { body: { title } })
        const writtenMs = performance.now()
        await events.getByText(document_id).first().waitFor()
        fastestMs = Math.min(fastestMs, performance.now() - writtenMs)
      }
      await events.getByText('signal.created').first().waitFor()
      assertPrompt(fastestMs, WITHIN_MS)
      assert.deepEqual(complaints, [])
    })

    test('console 8: a live tail that was refused, as by a proxy whose server is away, goes on by itself', async () => {
      const { page } = await signedIn('/media')
      const stream = '**/webhooks/stream*'
      const refused = Promise.withResolvers<void>()
      await page.route(stream, async (route) => {
        await route.fulfill({ status: 502, body: 'bad gateway' })
        refused.resolve()
      })
      await page.goto(`${server().url}/console/webhooks/live`)
      await refused.promise
      await page.unroute(stream)
      await page.waitForResponse((answer) => /stream/.test(answer.url()) && answer.ok())
      const { document_id } = await data('POST', '/api/v1/signals', { body: { title: 'Again' } })
      const events = page.getByRole('log', { name: 'Events' })
      await events.getByText(document_id).first().waitFor()
    })

    test('console 8: a subscription is changed, and a secret that is shown once stays while the server is away', async () => {
      const { page } = await signedIn('/webhooks')
      const { url } = server()
      const made = await page.request.post(`${url}/webhooks/subscriptions`, {
        data: { endpoint_url: `${receiver.url}/old`, events: ['signal.created'] },
      })
      const { id } = await made.json()
      await page.goto(`${url}/console/webhooks/${id}`)
      const more = (item: string) =>
        page
          .getByRole('button', { name: 'More' })
          .click()
          .then(() => page.getByRole('menuitem', { name: item }).click())
      await more('Change …')
      const dialog = page.getByRole('dialog', { name: 'Change the subscription' })
      await dialog.getByLabel('Endpoint').fill('nowhere')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog
        .getByText(/endpoint_url/)
        .first()
        .waitFor()
      await dialog.getByLabel('Endpoint').fill(`${receiver.url}/new`)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: `${receiver.url}/new` }).waitFor()
      const changed = await page.request.get(`${url}/webhooks/subscriptions/${id}`)
      assert.deepEqual((await changed.json()).events, ['signal.created'])

      await more('Rotate secret')
      const secret = page.getByRole('dialog', { name: 'New secret' }).locator('.mantine-Code-root')
      const text = await secret.textContent()
      await page.route(`**/webhooks/subscriptions/${id}`, (route) => route.abort())
      for (let tries = 0; tries < 4; tries++) {
        await page.waitForEvent('requestfailed', (request) => request.url().endsWith(id))
      }
      assert.equal(await secret.textContent(), text)
      await page.unroute(`**/webhooks/subscriptions/${id}`)
      await page.request.delete(`${url}/webhooks/subscriptions/${id}`)
    })

    test('console 8: the newest deliveries come first, and the older ones on further pages', async () => {
      const { page } = await signedIn('/webhooks')
      const { url } = server()
      const made = await page.request.post(`${url}/webhooks/subscriptions`, {
        data: { endpoint_url: `${receiver.url}/many`, events: ['signal.created'] },
      })
      const { id } = await made.json()
      const path = `${url}/webhooks/subscriptions/${id}`
      for (let sent = 0; sent < 51; sent++) await page.request.post(`${path}/test`, { data: {} })
      const answer = await page.request.get(`${path}/deliveries?per_page=1`)
      const { data: newest } = await answer.json()
      await page.goto(`${url}/console/webhooks/${id}`)
      const first = page.locator('tr[data-row]').first()
      await page.getByText('1 of 2').waitFor()
      await first.click()
      await page.waitForURL(`**/webhooks/${id}/${newest[0].id}`)
      await page.goBack()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('2 of 2').waitFor()
      await page.reload()
      await page.getByText('2 of 2').waitFor()
      await page.request.delete(path)
    })

    test('console §3: Home leads to a failing webhook of somebody else, which an admin sees and sends again', async () => {
      receiver.answer('/theirs', (_request, response) => response.writeHead(500).end())
      const user = await data('POST', '/api/v1/users', { body: { email: 'theirs@example.com' } })
      const limits = { requests_per_month: 1_000, requests_per_minute: 100 }
      const plan = await data('POST', '/api/v1/plans', { body: { name: 'Theirs', ...limits } })
      const owned = { user_id: user.id, plan_id: plan.id }
      const { key } = await data('POST', '/api/v1/keys', { body: owned })
      const body = { endpoint_url: `${receiver.url}/theirs`, events: ['signal.created'] }
      const { id } = await ok('POST', '/webhooks/subscriptions', { body, key })
      await data('POST', '/api/v1/signals', { body: { title: 'Gale' } })
      const { page } = await signedIn('/home')
      await page
        .getByRole('alert')
        .getByRole('link', { name: `${receiver.url}/theirs` })
        .click()
      await page.getByRole('heading', { name: `${receiver.url}/theirs` }).waitFor()
      await page.locator('tr[data-row]', { hasText: 'signal.created' }).click()
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByRole('tab', { name: /Try 2/ }).waitFor()
      await page.getByRole('button', { name: 'All deliveries' }).click()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Switch off' }).click()
      await page.getByText('Switched off', { exact: true }).waitFor()
      const { is_active } = await ok('GET', `/webhooks/subscriptions/${id}`, { key })
      assert.equal(is_active, false)
      await ok('DELETE', `/api/v1/users/${user.id}`)
    })
  })
}
