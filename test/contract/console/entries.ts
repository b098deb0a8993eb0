import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ConsoleServer, field } from './support.ts'

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

export function entries({ data, call, signedIn }: ConsoleServer): void {
  describe('entries', () => {
    before(async () => {
      const body = { contentTypes: TYPES, components: COMPONENTS }
      await data('POST', '/api/v1/content-types/batch', { body })
      for (const name of ['Oslo', 'Bergen']) {
        await data('POST', '/api/v1/harbours', { body: { name } })
      }
    })

    test('console 2: a value of every kind is written, saved and shown again as it was', async () => {
      const { page, complaints } = await signedIn('/content/vessels/new')
      await fillIn(page)
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.waitForURL(/vessels\/[0-9a-f-]{36}/)
      const id = page.url().match(/vessels\/([0-9a-f-]{36})/)?.[1]
      const include = 'home,visited'
      const saved = await data('GET', `/api/v1/vessels/${id}?status=all&include=${include}`)
      for (const [name, value] of Object.entries(WRITTEN))
        assert.deepEqual(saved[name], value, name)
      assert.match(saved.story, /<strong>bold<\/strong>/)
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
      assert.match(await field(page, 'launched').inputValue(), /^1988-07-01T10:00/)
      assert.equal(await page.getByRole('button', { name: 'Save draft' }).isDisabled(), true)
      assert.deepEqual(complaints, [])
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
      assert.equal(await field(page, 'name').inputValue(), 'Bodø')
      await field(page, 'name').fill('Bodø live')
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByText('Published', { exact: true }).first().waitFor()
      assert.equal(await read(), 'Bodø live')
    })

    test('console 4: a time that is set publishes the entry by itself', async () => {
      const made = await data('POST', '/api/v1/harbours', {
        body: { name: 'Later', status: 'draft' },
      })
      const { page } = await signedIn(`/content/harbours/${made.document_id}`)
      const soon = new Date(Date.now() + 3_000)
      const local = soon.toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' }).replace(' ', 'T')
      await page.getByLabel('Publish at', { exact: true }).fill(local)
      await page.getByRole('button', { name: 'Set times' }).click()
      await page.getByText('Times are set').waitFor()
      const isLive = async () => (await call('GET', `/api/v1/harbours/${made.id}`)).status === 200
      const end = Date.now() + 20_000
      while (!(await isLive())) assert.ok(Date.now() < end, 'not published in time')
    })

    test('a former version is shown with what has changed since, and restored', async () => {
      const { id, document_id } = await data('POST', '/api/v1/harbours', {
        body: { name: 'First' },
      })
      await data('PATCH', `/api/v1/harbours/${id}`, { body: { name: 'Second' } })
      const { page } = await signedIn(`/content/harbours/${document_id}/history`)
      await page.getByRole('button', { name: /by / }).last().click()
      await page.getByRole('table', { name: 'Differences' }).getByText('First').waitFor()
      await page.getByRole('button', { name: 'Restore this version' }).click()
      await page.getByRole('button', { name: 'Restore', exact: true }).click()
      await page.getByText('Restored as the working copy').waitFor()
      assert.equal((await data('GET', `/api/v1/harbours/${id}?status=all`)).name, 'First')
    })
  })
}

async function fillIn(page: Page): Promise<void> {
  const fill = (name: string, text: string) => field(page, name).fill(text)
  await fill('name', WRITTEN.name)
  await fill('notes', WRITTEN.notes)
  await page.getByRole('textbox', { name: 'story', exact: true }).click()
  await page.keyboard.press('Control+B')
  await page.keyboard.type('bold')
  await fill('manual', '# Orders')
  await fill('contact', WRITTEN.contact)
  await field(page, 'kind').click()
  await page.getByRole('option', { name: 'ferry' }).click()
  for (const tag of WRITTEN.tags) {
    await fill('tags', tag)
    await page.keyboard.press('Enter')
  }
  await fill('crew', '12')
  await fill('hull', WRITTEN.hull)
  await fill('draught', '3.25')
  await fill('price', '1.50')
  await page.locator('[data-field="afloat"]').getByText('Yes').click()
  await fill('built', WRITTEN.built)
  await fill('watch', '08:30:00')
  await fill('launched', '1988-07-01T10:00:00')
  await page.locator('[data-field="data"] .cm-content').fill('{"deep":[1,2]}')
  await fill('site', 'https://example.com/')
  for (const [field, name] of [
    ['home', 'Oslo'],
    ['visited', 'Bergen'],
  ] as const) {
    await page.locator(`[data-field="${field}"] input`).fill(name)
    await page.getByRole('option', { name }).click()
  }
  for (const [field, text] of [
    ['mark', 'single'],
    ['marks', 'listed'],
    ['zone', 'zoned'],
  ] as const) {
    await page.getByRole('button', { name: `Add to ${field}`, exact: true }).click()
    await page.locator(`[data-field="${field}"]`).getByLabel('words').fill(text)
  }
}
