import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { until } from '#test-kit'
import { type ConsoleServer, field, tabTo } from './support.ts'

/** Longer than anybody fills in a form. */
const AHEAD_MS = 600_000

const COMPONENTS = [
  { category: 'sea', name: 'mark', displayName: 'Mark', attributes: { words: { type: 'string' } } },
]

const TYPES = [
  {
    singularName: 'harbour',
    pluralName: 'harbours',
    displayName: 'Harbour',
    displayField: 'name',
    draftAndPublish: true,
    attributes: { name: { type: 'string', required: true } },
  },
  {
    singularName: 'vessel',
    pluralName: 'vessels',
    displayName: 'Vessel',
    displayField: 'name',
    draftAndPublish: true,
    attributes: {
      name: { type: 'string', required: true, maxLength: 60 },
      slug: { type: 'uid', targetField: 'name' },
      notes: { type: 'text' },
      story: { type: 'richtext' },
      plan: { type: 'richtext', format: 'blocks' },
      manual: { type: 'richtext', format: 'markdown' },
      contact: { type: 'email' },
      kind: { type: 'enumeration', enum: ['tug', 'ferry'] },
      tags: { type: 'tags' },
      crew: { type: 'integer', min: 0 },
      hull: { type: 'biginteger' },
      draught: { type: 'float' },
      price: { type: 'decimal' },
      afloat: { type: 'boolean' },
      built: { type: 'date' },
      watch: { type: 'time' },
      launched: { type: 'datetime' },
      data: { type: 'json' },
      site: { type: 'link' },
      home: { type: 'relation', relation: 'manyToOne', target: 'harbour' },
      visited: { type: 'relation', relation: 'manyToMany', target: 'harbour' },
      mark: { type: 'component', component: 'sea.mark' },
      marks: { type: 'component', component: 'sea.mark', repeatable: true },
      zone: { type: 'dynamiczone', components: ['sea.mark'] },
    },
  },
]

const WRITTEN = {
  name: 'Šárka of the North',
  slug: 'sarka-of-the-north',
  notes: 'Two\nlines',
  contact: 'captain@example.com',
  kind: 'ferry',
  tags: ['red', 'fast'],
  crew: 12,
  hull: '12345678901234567',
  draught: 3.25,
  price: 1.5,
  afloat: true,
  built: '1987-06-05',
  data: { deep: [1, 2] },
}

export function entries({ data, call, server, signedIn }: ConsoleServer): void {
  describe('entries', () => {
    before(async () => {
      const body = { contentTypes: TYPES, components: COMPONENTS }
      await data('POST', '/api/v1/content-types/batch', { body })
      for (const name of ['Oslo', 'Bergen']) {
        await data('POST', '/api/v1/harbours', { body: { name } })
      }
    })

    test('console 2, 11: a value of every kind is written by keyboard, saved and shown again as it was', async () => {
      const { page, complaints } = await signedIn('/content/vessels/new')
      await fillIn(page)
      await page.keyboard.press('Control+S')
      await page.waitForURL(/vessels\/[0-9a-f-]{36}/)
      const id = page.url().match(/vessels\/([0-9a-f-]{36})/)?.[1]
      const include = 'home,visited'
      const saved = await data('GET', `/api/v1/vessels/${id}?status=all&include=${include}`)
      for (const [name, value] of Object.entries(WRITTEN))
        assert.deepEqual(saved[name], value, name)
      assert.match(saved.story, /<strong>bold<\/strong>/)
      assert.deepEqual(saved.plan, [
        { type: 'paragraph', children: [{ type: 'text', text: 'bold', bold: true }] },
      ])
      assert.match(saved.manual, /# Orders/)
      assert.match(saved.watch, /^08:30/)
      // Typed in Berlin, in summer.
      assert.equal(saved.launched, '1988-07-01T08:00:00.000Z')
      assert.equal(saved.site.url, 'https://example.com/')
      assert.equal(saved.home.name, 'Oslo')
      assert.deepEqual(
        saved.visited.map(({ name }: { name: string }) => name),
        ['Bergen'],
      )
      assert.equal(saved.mark.words, 'single')
      assert.equal(saved.marks[0].words, 'listed')
      assert.equal(saved.zone[0].words, 'zoned')

      await page.reload()
      await page.getByRole('heading', { name: WRITTEN.name }).waitFor()
      assert.equal(await field(page, 'crew').inputValue(), '12')
      await page.getByRole('textbox', { name: 'plan', exact: true }).getByText('bold').waitFor()
      assert.match(await field(page, 'launched').inputValue(), /^1988-07-01T10:00/)
      assert.equal(await page.getByRole('button', { name: 'Save draft' }).isDisabled(), true)
      assert.deepEqual(complaints, [])
    })

    test('console 2: rich text of nodes is shown as it looks; what the editor does not know stays JSON', async () => {
      const text = (words: string, marks = {}) => ({ type: 'text', text: words, ...marks })
      const item = (words: string) => ({ type: 'list-item', children: [text(words)] })
      const plan = [
        { type: 'heading', level: 2, children: [text('Route')] },
        {
          type: 'paragraph',
          children: [
            text('Go '),
            text('north', { bold: true, italic: true }),
            { type: 'link', url: 'https://example.com/a?b=1&c=2', children: [text('here')] },
          ],
        },
        {
          type: 'list',
          format: 'ordered',
          children: [
            item('one'),
            { type: 'list', format: 'unordered', children: [item('deep')] },
            item('two'),
          ],
        },
        { type: 'quote', children: [text('Slow\nand steady')] },
        { type: 'code', language: 'js', children: [text('a < b && c')] },
      ]
      const made = await data('POST', '/api/v1/vessels', { body: { name: 'Nodes', plan } })
      const { page } = await signedIn(`/content/vessels/${made.document_id}`)
      const editor = page.getByRole('textbox', { name: 'plan', exact: true })
      await editor.getByText('and steady').waitFor()
      await editor.getByRole('heading', { name: 'Route' }).click()
      await page.keyboard.press('End')
      await page.keyboard.type('s')
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
      const path = `/api/v1/vessels/${made.id}?status=all`
      const [heading, ...rest] = plan
      const changed = { ...heading, children: [text('Routes')] }
      assert.deepEqual((await data('GET', path)).plan, [changed, ...rest])

      const picture = { type: 'image', image: { url: '/uploads/x.png' }, children: [text('')] }
      await data('PATCH', `/api/v1/vessels/${made.id}?status=draft`, { body: { plan: [picture] } })
      await page.reload()
      await page.locator('[data-field="plan"] .cm-content').getByText('image').first().waitFor()
    })

    test('console 3: a relation to many is emptied for all selected entries', async () => {
      const { page } = await signedIn('/content/vessels?q=North')
      await page.locator('tr[data-row]').first().waitFor()
      await page.getByLabel('Select all on this page').check()
      await page.getByRole('button', { name: 'Set a field' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Field').selectOption('visited')
      await dialog.getByRole('button', { name: 'Set it' }).click()
      await page.getByText(/entries changed/).waitFor()
      const found = await data('GET', '/api/v1/vessels?status=all&include=visited&per_page=100')
      const { visited } = found.find(({ name }: { name: string }) => name === WRITTEN.name)
      assert.deepEqual(visited, [])
    })

    test('console 2: a fault stands at the field it belongs to, and nothing typed is lost', async () => {
      const { page } = await signedIn('/content/vessels/new')
      await field(page, 'name').fill('Faulty')
      await field(page, 'contact').fill('nobody')
      await field(page, 'crew').fill('-3')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByRole('alert').first().waitFor()
      assert.match(
        (await page.locator('[data-field="contact"]').textContent()) ?? '',
        /e-mail|email|address/i,
      )
      assert.equal(await field(page, 'crew').inputValue(), '-3')
      assert.equal(await field(page, 'name').inputValue(), 'Faulty')
    })

    test('console 2: a newer version is shown beside the own text, which stays', async () => {
      const { id, document_id } = await data('POST', '/api/v1/harbours', {
        body: { name: 'Tromsø' },
      })
      const { page } = await signedIn(`/content/harbours/${document_id}`)
      await field(page, 'name').fill('Mine')
      await data('PATCH', `/api/v1/harbours/${id}?status=draft`, {
        body: { name: 'Changed there' },
      })
      await page.getByRole('button', { name: 'Save draft' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Changed there', { exact: true }).waitFor()
      await dialog.getByText('Mine', { exact: true }).waitFor()
      await dialog.getByRole('button', { name: 'Go on with this' }).click()
      assert.equal(await field(page, 'name').inputValue(), 'Mine')
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
      assert.equal((await data('GET', `/api/v1/harbours/${id}?status=all`)).name, 'Mine')
    })

    test('console 4: live and working copy differ until published; discarding restores what is live', async () => {
      const { id, document_id } = await data('POST', '/api/v1/harbours', { body: { name: 'Bodø' } })
      const read = async () => (await data('GET', `/api/v1/harbours/${id}`)).name
      const { page } = await signedIn(`/content/harbours/${document_id}`)
      await field(page, 'name').fill('Bodø new')
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.getByRole('button', { name: 'Compare with live' }).click()
      const differences = page.getByRole('table', { name: 'Differences' })
      await differences.getByText('Bodø new').waitFor()
      assert.equal(await read(), 'Bodø')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Discard changes' }).click()
      await page.getByText('Back to what is published').waitFor()
      await until(async () => (await field(page, 'name').inputValue()) === 'Bodø')
      await field(page, 'name').fill('Bodø live')
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      // The state on the page has the same word before.
      await until(async () => (await read()) === 'Bodø live')
    })

    test('console 4: a time that is set publishes the entry by itself', async () => {
      const made = await data('POST', '/api/v1/harbours', {
        body: { name: 'Later', status: 'draft' },
      })
      const { page } = await signedIn(`/content/harbours/${made.document_id}`)
      // Moved to by the clock: however long a person takes to fill it in, the time lies ahead.
      const soon = new Date(Date.now() + AHEAD_MS)
      const local = soon.toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' }).replace(' ', 'T')
      await page.getByLabel('Publish at', { exact: true }).fill(local)
      await page.getByRole('button', { name: 'Set times' }).click()
      await page.getByText('Times are set').waitFor()
      const isLive = async () => (await call('GET', `/api/v1/harbours/${made.id}`)).status === 200
      assert.equal(await isLive(), false)
      await server().setClockOffset(AHEAD_MS)
      try {
        await until(isLive, { what: 'published in time' })
      } finally {
        await server().setClockOffset(0)
      }
    })

    test('console §3: history shows each event with its person, what it changed and what has changed since, and restores', async () => {
      const { id, document_id } = await data('POST', '/api/v1/harbours', {
        body: { name: 'First', status: 'draft' },
      })
      await data('POST', `/api/v1/harbours/${id}/publish`)
      await data('PATCH', `/api/v1/harbours/${id}`, { body: { name: 'Second' } })
      await data('POST', `/api/v1/harbours/${id}/unpublish`)
      const { page } = await signedIn(`/content/harbours/${document_id}/history`)
      const lines = page.getByRole('button', { name: /by / })
      await lines.nth(3).waitFor()
      const words = (await lines.allTextContents()).map((line) => /^\D+?(?= ?\d)/.exec(line)?.[0])
      assert.deepEqual(words, ['Unpublished', 'Saved', 'Published', 'Created'])
      const difference = page.getByRole('table', { name: 'Differences' })
      await lines.filter({ hasText: 'Saved' }).click()
      await difference.getByRole('cell', { name: 'First' }).waitFor()
      await difference.getByRole('cell', { name: 'Second' }).waitFor()
      await lines.filter({ hasText: /^Published/ }).click()
      await page.getByRole('columnheader', { name: 'Now' }).waitFor()
      await difference.getByRole('cell', { name: 'First' }).waitFor()
      await page.getByRole('button', { name: 'Restore this version' }).click()
      await page.getByRole('button', { name: 'Restore', exact: true }).click()
      await page.getByText('Restored as the working copy').waitFor()
      assert.equal((await data('GET', `/api/v1/harbours/${id}?status=all`)).name, 'First')
      await page.goto(`${server().url}/console/content/harbours/${document_id}/history`)
      await lines.filter({ hasText: 'Restored' }).waitFor()
    })
  })
}

/** Without a mouse: every field is reached by the Tab key. */
async function fillIn(page: Page): Promise<void> {
  const type = async (name: string, text: string) => {
    await tabTo(page, field(page, name))
    await page.keyboard.type(text)
  }
  const choose = async (name: string) => {
    await page.getByRole('option', { name }).waitFor()
    // What was there before is shown until the server has found what was typed.
    await until(async () => (await page.getByRole('option').count()) === 1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  }
  const press = async (button: Locator) => {
    await tabTo(page, button)
    await page.keyboard.press('Enter')
  }
  await type('name', WRITTEN.name)
  await type('notes', 'Two')
  await page.keyboard.press('Enter')
  await page.keyboard.type('lines')
  for (const name of ['story', 'plan']) {
    await tabTo(page, page.getByRole('textbox', { name, exact: true }))
    await page.keyboard.press('Control+B')
    await page.keyboard.type('bold')
  }
  await type('manual', '# Orders')
  await type('contact', WRITTEN.contact)
  await tabTo(page, field(page, 'kind'))
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'ferry' }).waitFor()
  await page.keyboard.type('f')
  await choose('ferry')
  for (const tag of WRITTEN.tags) {
    await type('tags', tag)
    await page.keyboard.press('Enter')
  }
  await type('crew', '12')
  await type('hull', WRITTEN.hull)
  await type('draught', '3.25')
  await type('price', '1.50')
  await tabTo(page, page.locator('[data-field="afloat"] input:checked'))
  // From the last of three round to the first.
  await page.keyboard.press('ArrowRight')
  // How a date is typed is a matter of the browser and its language.
  for (const [name, text] of [
    ['built', WRITTEN.built],
    ['watch', '08:30:00'],
    ['launched', '1988-07-01T10:00:00'],
  ] as const) {
    await tabTo(page, field(page, name))
    await field(page, name).fill(text)
  }
  await tabTo(page, page.locator('[data-field="data"] .cm-content'))
  await page.keyboard.type('{"deep":[1,2]}')
  await type('site', 'https://example.com/')
  for (const [name, harbour] of [
    ['home', 'Oslo'],
    ['visited', 'Bergen'],
  ] as const) {
    await type(name, harbour)
    await choose(harbour)
  }
  for (const [name, text] of [
    ['mark', 'single'],
    ['marks', 'listed'],
    ['zone', 'zoned'],
  ] as const) {
    await press(page.getByRole('button', { name: `Add to ${name}`, exact: true }))
    await tabTo(page, page.locator(`[data-field="${name}"]`).getByLabel('words'))
    await page.keyboard.type(text)
  }
}
