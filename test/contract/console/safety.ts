import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type ConsoleServer, field, PASSWORD } from './support.ts'

const ATTACK = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'

export function safety({ data, signedIn, signInOn, server }: ConsoleServer): void {
  describe('safety', () => {
    before(async () => {
      const attributes = {
        title: { type: 'string' },
        body: { type: 'richtext' },
        md: { type: 'richtext', format: 'markdown' },
      }
      const names = {
        singularName: 'trap',
        pluralName: 'traps',
        displayName: 'Trap',
        displayField: 'title',
      }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
    })

    test('console 13: a script in content never runs', async () => {
      const body = {
        title: ATTACK,
        body: `<p>x</p>${ATTACK}`,
        md: `${ATTACK}\n\n[a](javascript:window.ran=1)`,
      }
      const { document_id } = await data('POST', '/api/v1/traps', { body })
      const { page } = await signedIn('/content/traps')
      await page.getByText('onerror').first().waitFor()
      await page.goto(`${server().url}/console/content/traps/${document_id}`)
      await page.getByText('With preview').click()
      await page
        .getByText('[a]')
        .or(page.getByRole('link', { name: 'a', exact: true }))
        .first()
        .waitFor()
      await page.goto(`${server().url}/console/content/traps/${document_id}/history`)
      await page.getByRole('button', { name: /by / }).first().click()
      assert.equal(await page.evaluate("'ran' in window"), false)
    })

    test('console 13: a session that ended elsewhere is renewed over the screen, and the text is kept', async () => {
      const { document_id } = await data('POST', '/api/v1/traps', { body: { title: 'Kept' } })
      const { page } = await signedIn(`/content/traps/${document_id}`)
      await field(page, 'title').fill('Not saved yet')
      await page.request.delete(`${server().url}/api/v1/sign-in`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your session has ended').waitFor()
      await signInOn(page)
      await page.getByText('Your session has ended').waitFor({ state: 'hidden' })
      assert.equal(await field(page, 'title').inputValue(), 'Not saved yet')
      assert.match(page.url(), new RegExp(document_id))
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
    })

    test('console 13: a session that ends in a dialog is renewed above it, Escape closes one dialog, and the text is kept', async () => {
      const { page } = await signedIn('/sell/users?user=new')
      const dialog = page.getByRole('dialog', { name: 'New user' })
      await dialog.getByLabel('E-mail').fill('half@example.com')
      await page.request.delete(`${server().url}/api/v1/sign-in`)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Your session has ended').waitFor()
      await page.keyboard.press('Escape')
      // Clicked as a person does: what lies above it would be hit in its place.
      const ended = page.getByRole('dialog', { name: 'Your session has ended' })
      await ended.getByLabel('E-mail').click()
      await ended.locator('input[type=password]').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByText('Your session has ended').waitFor({ state: 'hidden' })
      assert.equal(await dialog.getByLabel('E-mail').inputValue(), 'half@example.com')
      await dialog.getByText('Your session had ended').waitFor()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'hidden' })

      await page.locator('tr[data-row]', { hasText: 'half@example.com' }).click()
      const user = page.getByRole('dialog', { name: 'half@example.com', exact: true })
      await user.getByLabel('Name').fill('Half')
      await user.getByRole('button', { name: 'Delete' }).click()
      const question = page.getByRole('dialog', { name: /^Delete half/ })
      await question.waitFor()
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'hidden' })
      assert.equal(await user.getByLabel('Name').inputValue(), 'Half')
      await user.getByRole('button', { name: 'Delete' }).click()
      await question.getByLabel(/to go on/).fill('half@example.com')
      await question.getByRole('button', { name: 'Delete' }).click()
      await user.waitFor({ state: 'hidden' })
    })

    test('console 2: leaving with unsaved changes asks', async () => {
      const { document_id } = await data('POST', '/api/v1/traps', { body: { title: 'Stay' } })
      const { page } = await signedIn(`/content/traps/${document_id}`)
      await field(page, 'title').fill('Changed')
      await page.getByText('unsaved changes').waitFor()
      await page.getByRole('link', { name: 'Media' }).click()
      await page.getByRole('button', { name: 'Stay' }).click()
      assert.equal(await field(page, 'title').inputValue(), 'Changed')
      await page.getByRole('link', { name: 'Media' }).click()
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.getByRole('heading', { name: 'Media' }).waitFor()
    })
  })
}
