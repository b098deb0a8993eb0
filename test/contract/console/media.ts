import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConsoleServer } from './support.ts'

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="teal"/></svg>'

export function mediaLibrary({ data, call, signedIn }: ConsoleServer): void {
  describe('media', () => {
    test('console 6: twenty files are uploaded at once and found by name', async () => {
      const { page, complaints } = await signedIn('/media')
      const files = Array.from({ length: 20 }, (_each, index) => ({
        name: `Pier ${index}.svg`,
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(SVG),
      }))
      await page.locator('input[type=file]').first().setInputFiles(files)
      await page
        .getByRole('progressbar', { name: 'Upload of Pier 0.svg' })
        .waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Pier 19.svg' }).waitFor({ timeout: 30_000 })
      assert.equal((await data('GET', '/api/v1/media?q=pier&per_page=100')).length, 20)
      await page.getByLabel('Search files').fill('pier 17')
      await page.getByRole('button', { name: 'Pier 3.svg' }).waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('button', { name: /Pier/ }).count(), 1)
      assert.deepEqual(complaints, [])
    })

    test('console 6: a file that an entry shows says so before it is deleted', async () => {
      const attributes = { name: { type: 'string' }, picture: { type: 'media' } }
      const names = {
        singularName: 'quay',
        pluralName: 'quays',
        displayName: 'Quay',
        displayField: 'name',
      }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      const [file] = await data('GET', '/api/v1/media?q=pier 5')
      await data('POST', '/api/v1/quays', { body: { name: 'East', picture_id: file.id } })
      const { page } = await signedIn(`/media/${file.id}`)
      await page.getByRole('region', { name: 'Where it is used' }).getByText('Quay').waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('One entry shows it').waitFor()
      await dialog.getByLabel(/Type Pier/).fill(file.name)
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'Media' }).waitFor()
      assert.equal((await call('GET', `/api/v1/media/${file.id}`)).status, 404)
    })

    test('console 6: what is typed of a file stays when the file is replaced, and only that is saved', async () => {
      const form = new FormData()
      form.append('file', new Blob(['first']), 'chart.txt')
      const { id } = await data('POST', '/api/v1/media', { form })
      const { page } = await signedIn(`/media/${id}`)
      const words = page.getByLabel('Alternative text')
      await words.fill('A chart of the harbour')
      const replaced = page.waitForResponse((answer) => answer.url().endsWith(`${id}/file`))
      const file = { name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('second') }
      await page.locator('input[type=file]').setInputFiles(file)
      await replaced
      await page.getByText(/^Replaced:/).waitFor()
      assert.equal(await words.inputValue(), 'A chart of the harbour')
      await page.getByRole('link', { name: 'Webhooks' }).click()
      await page.getByRole('button', { name: 'Stay' }).click()
      await data('PATCH', `/api/v1/media/${id}`, { body: { caption: 'By another tab' } })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
      const { alternative_text, caption } = await data('GET', `/api/v1/media/${id}`)
      assert.deepEqual([alternative_text, caption], ['A chart of the harbour', 'By another tab'])
      assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
      await data('DELETE', `/api/v1/media/${id}`)
    })
  })
}
