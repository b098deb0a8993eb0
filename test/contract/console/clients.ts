import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '#test-kit'
import type { ConsoleServer } from './support.ts'

export function oauthClients({ server, data, signedIn }: ConsoleServer): void {
  describe('OAuth clients', () => {
    test('console §3: a client gets a new secret, which ends the old one, and is switched off and on', async () => {
      const plan = await data('POST', '/api/v1/plans', {
        body: { name: 'Of clients', requests_per_month: 1_000, requests_per_minute: 1_000 },
      })
      const { page, complaints } = await signedIn('/settings/clients')
      await page.getByRole('button', { name: 'New client' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Reporter')
      await dialog.getByLabel('Plan').selectOption(String(plan.id))
      await dialog.getByRole('button', { name: 'Make the client' }).click()
      await dialog.getByText('shown this once').waitFor()
      const [clientId = '', first = ''] = await dialog
        .locator('.mantine-Code-root')
        .allTextContents()
      const statusOf = async (secret: string) => {
        const body = new URLSearchParams({
          ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
        })
        return (await fetch(`${server().url}/oauth/token`, { method: 'POST', body })).status
      }
      assert.equal(await statusOf(first), 200)
      await page.keyboard.press('Escape')

      await page.getByRole('row', { name: /Reporter/ }).click()
      await dialog.getByRole('button', { name: 'New secret' }).click()
      await page.getByRole('button', { name: 'Make it' }).click()
      await dialog.getByText('The new secret is shown this once').waitFor()
      const second = (await dialog.locator('.mantine-Code-root').last().textContent()) ?? ''
      assert.notEqual(second, first)
      assert.equal(await statusOf(second), 200)
      assert.equal(await statusOf(first), 401)

      await dialog.getByRole('button', { name: 'Switch off' }).click()
      const row = page.getByRole('row', { name: /Reporter.*off/ })
      await row.waitFor()
      await until(async () => (await statusOf(second)) === 401)
      await row.click()
      await dialog.getByRole('button', { name: 'Switch on' }).click()
      await page.getByRole('row', { name: /Reporter.* on / }).waitFor()
      await until(async () => (await statusOf(second)) === 200)
      assert.deepEqual(complaints, [])
    })
  })
}
