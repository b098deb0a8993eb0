import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConsoleServer } from './support.ts'

export function firstSteps({ visit, signInOn, server }: ConsoleServer): void {
  test('console 1, 11: sign in and follow the three first steps by keyboard; the shown command returns the entry', async () => {
    const { page, complaints } = await visit('/')
    await signInOn(page)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()

    await page.getByLabel('Name of the type').focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Buoy')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'A type' }).getByText('done').waitFor()

    await page.getByLabel('Its title').focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Red nun')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'An entry' }).getByText('done').waitFor()

    await page.getByRole('button', { name: 'Make a key' }).focus()
    await page.keyboard.press('Enter')
    const step = page.getByRole('region', { name: 'A key' })
    await step.getByText('done').waitFor()

    const command = (await step.locator('pre', { hasText: 'curl' }).textContent()) ?? ''
    const [, url = ''] = command.match(/curl "([^"]+)"/) ?? []
    const [, key = ''] = command.match(/X-API-Key: (sk_\w+)/) ?? []
    assert.equal(new URL(url).origin, server().url)
    const answer = await fetch(url, { headers: { 'x-api-key': key } })
    const { data }: { data: { title: string }[] } = Object(await answer.json())
    assert.deepEqual(
      data.map(({ title }) => title),
      ['Red nun'],
    )
    assert.deepEqual(complaints, [])
  })
}
