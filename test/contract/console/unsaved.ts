import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '#test-kit'
import { type ConsoleServer, field } from './support.ts'

// Run in the page: how far something that is seen has moved without being touched.
const WATCH_SHIFTS = `
  shifts = []
  watcher = new PerformanceObserver((list) => shifts.push(...list.getEntries()))
  watcher.observe({ type: 'layout-shift' })`
/** The frame in which the editors are drawn has come and gone. */
const SHIFTS = `
  new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go))))
    .then(() => [...shifts, ...watcher.takeRecords()].map(({ value }) => value))`

/** A machine with much to do draws nothing between both. */
const fillAndSave = (name: string, text: string) => `
  (async () => {
    const editor = document.querySelector('[data-field="${name}"] [contenteditable]')
    editor.focus()
    getSelection().selectAllChildren(editor)
    getSelection().collapseToEnd()
    document.execCommand('insertText', false, '${text}')
    await Promise.resolve()
    const key = { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true }
    document.documentElement.dispatchEvent(new KeyboardEvent('keydown', key))
  })()`

/** What somebody types is never lost, doubled or taken for the work of somebody else. */
export function unsavedWork({ data, server, signedIn, signInOn }: ConsoleServer): void {
  describe('unsaved work', () => {
    const path = '/api/v1/charts'
    before(async () => {
      const attributes = {
        name: { type: 'string', required: true },
        slug: { type: 'uid', targetField: 'name' },
        notes: { type: 'text' },
        depths: { type: 'json' },
        site: { type: 'link' },
        scan: { type: 'media' },
      }
      const names = { singularName: 'chart', pluralName: 'charts', displayName: 'Chart' }
      const body = { ...names, displayField: 'name', draftAndPublish: true, attributes }
      await data('POST', '/api/v1/content-types', { body })
    })

    const all = async (): Promise<
      { name: string; notes: string; slug: string; status: string }[]
    > => data('GET', `${path}?status=all&per_page=100`)
    const press = (page: Page, name: string) =>
      page.getByRole('button', { name, exact: true }).click()
    const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor()

    test('console 2: a publication that was refused is tried again on the entry it has saved', async () => {
      const { page } = await signedIn('/content/charts/new')
      await field(page, 'notes').fill('without a name')
      await press(page, 'Publish')
      await page.locator('[data-field="name"]').getByText('name is required').waitFor()
      await field(page, 'name').fill('Skagerrak')
      await press(page, 'Publish')
      await page.waitForURL(/charts\/[0-9a-f-]{36}/)
      const made = await all()
      assert.deepEqual(
        made.map(({ name, notes, status }) => [name, notes, status]),
        [['Skagerrak', 'without a name', 'published']],
      )

      await page.getByRole('heading', { name: 'Skagerrak' }).waitFor()
      await field(page, 'name').fill('')
      await press(page, 'Publish')
      await page.locator('[data-field="name"]').getByText('name is required').waitFor()
      await field(page, 'name').fill('Skagerrak II')
      await press(page, 'Publish')
      // Not by its words, which may still be those of the first time.
      await until(async () => {
        const [{ name, status } = {}, ...others] = await all()
        return name === 'Skagerrak II' && status === 'published' && others.length === 0
      })
    })

    test('console 2: two entries of one name are saved; the server tells their addresses apart', async () => {
      for (const _ of ['first', 'second']) {
        const { page } = await signedIn('/content/charts/new')
        await field(page, 'name').fill('Öresund')
        await page.locator('[data-field="slug"] input[value="oresund"]').waitFor()
        await press(page, 'Save draft')
        await page.waitForURL(/charts\/[0-9a-f-]{36}/)
      }
      const slugs = (await all()).filter(({ name }) => name === 'Öresund').map(({ slug }) => slug)
      assert.deepEqual(slugs.sort(), ['oresund', 'oresund-2'])
    })

    test('console 2: a key that repeats saves a new entry once', async () => {
      const { page } = await signedIn('/content/charts/new')
      await field(page, 'name').fill('Once')
      await field(page, 'slug').fill('')
      for (const _ of [1, 2, 3]) await page.keyboard.press('Control+S')
      await page.waitForURL(/charts\/[0-9a-f-]{36}/)
      assert.equal((await all()).filter(({ name }) => name === 'Once').length, 1)
    })

    test('console 2: text that is no JSON is neither lost nor left unasked', async () => {
      const body = { name: 'Depths', depths: { a: 1 } }
      const { id, document_id } = await data('POST', path, { body })
      const { page } = await signedIn(`/content/charts/${document_id}`)
      const editor = page.locator('[data-field="depths"] .cm-content')
      await editor.click()
      await page.keyboard.press('Control+A')
      // The editor adds what closes a bracket.
      await page.keyboard.insertText('{"a": 2,')
      await field(page, 'notes').fill('beside it')
      await press(page, 'Save draft')
      await page.getByRole('alert').filter({ hasText: 'JSON' }).waitFor()
      assert.match((await editor.textContent()) ?? '', /"a": 2/)
      assert.equal((await data('GET', `${path}/${id}?status=all`)).notes, null)
      await field(page, 'notes').fill('')
      await page.getByRole('link', { name: 'Media' }).click()
      await press(page, 'Stay')
      await editor.click()
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText('{"a": 3}')
      await press(page, 'Save draft')
      await saved(page)
      assert.deepEqual((await data('GET', `${path}/${id}?status=all`)).depths, { a: 3 })
    })

    test('console 2: words of a link can be written before its address', async () => {
      const { page } = await signedIn('/content/charts/new')
      await page.getByLabel('site words').fill('The office')
      assert.equal(await page.getByLabel('site words').inputValue(), 'The office')
      await page.getByLabel('site address').fill('https://example.com/')
      assert.equal(await page.getByLabel('site words').inputValue(), 'The office')
    })

    test('console 4: setting times keeps what is typed, and the next save meets no other version', async () => {
      const { id, document_id } = await data('POST', path, {
        body: { name: 'Timed', status: 'draft' },
      })
      const { page } = await signedIn(`/content/charts/${document_id}`)
      await field(page, 'notes').fill('not saved yet')
      await page.getByLabel('Publish at', { exact: true }).fill('2090-01-01T10:00:00')
      await press(page, 'Set times')
      await page.getByText('Times are set').waitFor()
      assert.equal(await field(page, 'notes').inputValue(), 'not saved yet')
      await press(page, 'Save draft')
      await saved(page)
      const { notes, publish_at } = await data('GET', `${path}/${id}?status=all`)
      assert.deepEqual([notes, publish_at], ['not saved yet', '2090-01-01T09:00:00.000Z'])
    })

    test('console 2: what is typed while a save is under way stays and is saved next', async () => {
      const { id, document_id } = await data('POST', path, { body: { name: 'Slow' } })
      const { page } = await signedIn(`/content/charts/${document_id}`)
      const asked = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      await page.route(`**${path}/**`, async (route) => {
        if (route.request().method() === 'PATCH') {
          asked.resolve()
          await answer.promise
        }
        await route.continue()
      })
      await field(page, 'notes').fill('first')
      await press(page, 'Save draft')
      await asked.promise
      await field(page, 'notes').fill('first and more')
      answer.resolve()
      await saved(page)
      assert.equal(await field(page, 'notes').inputValue(), 'first and more')
      await until(() => page.getByText('unsaved changes').isVisible(), { what: 'unsaved changes' })
      await page.unroute(`**${path}/**`)
      await press(page, 'Publish')
      await page.getByText('Published', { exact: true }).first().waitFor()
      assert.equal((await data('GET', `${path}/${id}`)).notes, 'first and more')
    })

    test('console 2: what is typed while a saved entry is read again stays', async () => {
      const { id, document_id } = await data('POST', path, { body: { name: 'Read again' } })
      const { page } = await signedIn(`/content/charts/${document_id}`)
      await field(page, 'notes').fill('first')
      const asked = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      await page.route(`**${path}/**`, async (route) => {
        if (route.request().method() === 'GET') {
          asked.resolve()
          await answer.promise
        }
        await route.continue()
      })
      await press(page, 'Save draft')
      await asked.promise
      await field(page, 'notes').fill('first and more')
      answer.resolve()
      await saved(page)
      assert.equal(await field(page, 'notes').inputValue(), 'first and more')
      await page.unroute(`**${path}/**`)
      await press(page, 'Save draft')
      const stored = async () => (await data('GET', `${path}/${id}?status=all`)).notes
      await until(async () => (await stored()) === 'first and more')
    })

    test('console 2: an upload that ends late keeps what was typed meanwhile', async () => {
      const { page } = await signedIn('/content/charts/new')
      await press(page, 'Choose a file')
      const asked = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      await page.route('**/api/v1/media', async (route) => {
        if (route.request().method() === 'POST') {
          asked.resolve()
          await answer.promise
        }
        await route.continue()
      })
      const file = { name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('late') }
      await page.locator('input[type=file]').setInputFiles(file)
      await asked.promise
      await page.keyboard.press('Escape')
      await field(page, 'name').fill('Typed meanwhile')
      answer.resolve()
      await page.locator('[data-field="scan"]').getByText('late.txt').waitFor()
      assert.equal(await field(page, 'name').inputValue(), 'Typed meanwhile')
      await page.unroute('**/api/v1/media')
    })

    test('console 2: a click on a form counts, whether its editors have been loaded or not', async () => {
      const attributes = {
        name: { type: 'string' },
        plan: { type: 'richtext', format: 'blocks' },
        depths: { type: 'json' },
        scan: { type: 'media' },
      }
      const names = { singularName: 'plate', pluralName: 'plates', displayName: 'Plate' }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      const { page } = await signedIn('/')
      const loaded = Promise.withResolvers<void>()
      const editors = /\/(code-mirror|markup-editor)-/
      await page.route(editors, async (route) => {
        await loaded.promise
        await route.continue()
      })
      await page.goto(`${server().url}/console/content/plates/new`)
      await page.getByRole('button', { name: 'Choose a file', exact: true }).waitFor()
      await page.evaluate(WATCH_SHIFTS)
      loaded.resolve()
      await page.locator('[data-field="plan"] [contenteditable]').waitFor()
      await page.locator('[data-field="depths"] [contenteditable]').waitFor()
      // A button that moves while it is pressed is not clicked.
      assert.deepEqual(await page.evaluate(SHIFTS), [])
      await page.unroute(editors)
      await data('DELETE', '/api/v1/content-types/plate')
    })

    test('console 2: what is put into an editor right before Ctrl-S is saved with the rest', async () => {
      const attributes = {
        name: { type: 'string' },
        story: { type: 'richtext' },
        plan: { type: 'richtext', format: 'blocks' },
        depths: { type: 'json' },
      }
      const names = { singularName: 'pilot', pluralName: 'pilots', displayName: 'Pilot' }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      const made = await data('POST', '/api/v1/pilots', { body: { name: 'Ann', depths: 1 } })
      const { page } = await signedIn(`/content/pilots/${made.document_id}`)
      const stored = () => data('GET', `/api/v1/pilots/${made.id}`)
      for (const [name, text, value] of [
        ['story', 'late words', '<p>late words</p>'],
        ['depths', '2', 12],
        ['plan', 'deep', [{ type: 'paragraph', children: [{ type: 'text', text: 'deep' }] }]],
      ] as const) {
        await page.locator(`[data-field="${name}"] [contenteditable]`).waitFor()
        await page.evaluate(fillAndSave(name, text))
        await saved(page)
        assert.deepEqual((await stored())[name], value)
        await page.reload()
      }
      await data('DELETE', '/api/v1/content-types/pilot?force=true')
    })

    test('console 13: text stays when the model is asked for again and the session has ended', async () => {
      const { document_id } = await data('POST', path, { body: { name: 'Away' } })
      const { page } = await signedIn(`/content/charts/${document_id}`)
      await field(page, 'notes').fill('written before lunch')
      await page.request.delete(`${server().url}/api/v1/sign-in`)
      // Longer than the model counts as fresh; the page is looked at again.
      await page.evaluate(`
        const late = Date.now() + 60_000
        Date.now = () => late
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      `)
      await page.getByText('Your session has ended').waitFor()
      await signInOn(page)
      await page.getByText('Your session has ended').waitFor({ state: 'hidden' })
      assert.equal(await field(page, 'notes').inputValue(), 'written before lunch')
    })

    test('console 13: signing out leads out, also when the session was ended elsewhere', async () => {
      const { page, complaints } = await signedIn('/media')
      await page.getByRole('button', { name: 'Your account' }).click()
      await page.request.delete(`${server().url}/api/v1/sign-in`)
      await page.getByText('Sign out').click()
      await page.waitForURL(`${server().url}/`)
      assert.deepEqual(complaints, [])
    })
  })
}
