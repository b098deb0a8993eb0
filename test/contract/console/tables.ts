import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import { until } from '#test-kit'
import { type ConsoleServer, hasFocus } from './support.ts'

const COUNT = 200

export function tables({ data, server, signedIn }: ConsoleServer): void {
  describe('tables', () => {
    before(async () => {
      const attributes = {
        title: { type: 'string' },
        rank: { type: 'integer' },
        kind: { type: 'enumeration', enum: ['odd', 'even'] },
        seen: { type: 'boolean' },
        at: { type: 'datetime' },
      }
      const names = { singularName: 'log', pluralName: 'logs', displayName: 'Log entry' }
      const body = { ...names, displayField: 'title', draftAndPublish: true, attributes }
      await data('POST', '/api/v1/content-types', { body })
      const operations = Array.from({ length: COUNT }, (_each, index) => ({
        op: 'create',
        data: {
          title: `Entry ${String(index).padStart(3, '0')}`,
          rank: index,
          kind: index % 2 === 0 ? 'even' : 'odd',
          seen: index < 10,
          at: new Date(Date.UTC(2026, 0, 1, index)).toISOString(),
          status: 'draft',
        },
      }))
      await data('POST', '/api/v1/logs/bulk', { body: { operations } })
    })

    test('console 3: each kind of operator filters, the URL keeps it, and a reload shows the same', async () => {
      const { page, complaints } = await signedIn('/content/logs')
      const rows = page.getByRole('table', { name: 'Log entry' }).locator('tbody tr[data-row]')
      const cases = [
        ['title', 'contains', 'Entry 00', 10],
        ['rank', 'is less than', '5', 5],
        ['kind', 'is', 'odd', 50],
        ['seen', 'is', 'true', 10],
        ['at', 'is before', '2026-01-01T03:30', 3],
        ['rank', 'is one of', '7, 8', 2],
        ['title', 'is empty', undefined, 0],
      ] as const
      for (const [field, operator, value, count] of cases) {
        await page.getByRole('button', { name: 'Filter', exact: true }).click()
        await page.getByLabel('Field').selectOption(field)
        await page.getByLabel('Condition').selectOption({ label: operator })
        const input = page.getByLabel('Value')
        const isChoice = field === 'kind' || field === 'seen'
        if (value !== undefined) await (isChoice ? input.selectOption(value) : input.fill(value))
        await page.getByRole('button', { name: 'Add filter' }).click()
        if (count === 0) await page.getByText('Nothing fits').waitFor()
        else await rows.nth(count - 1).waitFor()
        await until(async () => (await rows.count()) === count, { what: `${count} rows` })
        if (field === 'title' && count === 10) {
          await page.reload()
          await rows.nth(9).waitFor()
          assert.equal(await rows.count(), 10)
        }
        await page.getByRole('button', { name: `Remove filter on ${field}` }).click()
        await rows.nth(40).waitFor()
      }
      assert.deepEqual(complaints, [])
    })

    test('console 3: sorted, paged by cursor with at most a hundred rows, and opened by keyboard', async () => {
      const { page } = await signedIn('/content/logs?sort=rank&order=asc&per_page=100')
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      const rows = page.locator('tr[data-row]')
      await rows.nth(99).waitFor()
      assert.match((await rows.first().textContent()) ?? '', /Entry 000/)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('Entry 100').waitFor()
      await page.getByRole('button', { name: 'rank' }).click()
      // It was on the page before, as the last one.
      await rows.first().filter({ hasText: 'Entry 199' }).waitFor()
      await rows.first().focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Entry 198' }).waitFor()
      const sizes = asked.flatMap((url) => new URL(url).searchParams.getAll('per_page'))
      assert.ok(
        sizes.every((size) => Number(size) <= 100),
        String(sizes),
      )
    })

    test('console 3: two hundred are published at once, and the export is what the API answers', async () => {
      const { page } = await signedIn('/content/logs?sort=rank&order=asc&per_page=100')
      await page.locator('tr[data-row]').nth(99).waitFor()
      await page.getByLabel('Select all on this page').check()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('Entry 100').waitFor()
      await page.getByLabel('Select all on this page').check()
      await page.getByText(`${COUNT} selected`).waitFor()
      await page
        .getByRole('region', { name: 'Selected entries' })
        .getByRole('button', { name: 'Publish', exact: true })
        .click()
      await page.getByText(`${COUNT} entries published`).waitFor({ timeout: 60_000 })
      const live = await data('GET', '/api/v1/logs?per_page=100&sort=rank')
      assert.equal(live.length, 100)

      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: 'NDJSON' }).click()
      const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
      assert.equal(lines.length, COUNT)
      const all = await data('GET', '/api/v1/logs?per_page=100&sort=rank&status=all')
      assert.deepEqual(
        lines.slice(0, 100).map((line) => JSON.parse(line)),
        all,
      )
    })

    test('console 3: a field of the selected entries is set, and a file is imported with a report by line', async () => {
      const { page } = await signedIn('/content/logs?sort=rank&order=asc&per_page=20')
      await page.locator('tr[data-row]').nth(19).waitFor()
      await page.getByLabel('Select all on this page').check()
      await page.getByRole('button', { name: 'Set a field' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Field').selectOption('seen')
      await dialog.getByText('Yes', { exact: true }).click()
      await dialog.getByRole('button', { name: 'Set it' }).click()
      await page.getByText('20 entries changed').waitFor()
      assert.equal((await data('GET', '/api/v1/logs?seen=true&per_page=100&status=all')).length, 20)

      await page.getByRole('button', { name: 'Import' }).click()
      const csv =
        'title,rank,kind\r\n"New, one",500,odd\r\nNew two,many,odd\r\nA\0B,501,odd\r\nNew three,502,odd\r\n'
      const file = { name: 'logs.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByRole('table', { name: 'First rows' }).getByText('New, one').waitFor()
      await page.getByRole('button', { name: 'Import 4 rows' }).click()
      await page.getByText('2 taken, 2 refused').waitFor()
      await page.getByText(/Line 3: .*rank/).waitFor()
      await page.getByText(/Line 4: .*U\+0000/).waitFor()
      assert.equal((await data('GET', '/api/v1/logs?rank=500&status=all'))[0].title, 'New, one')
      assert.equal((await data('GET', '/api/v1/logs?rank=502&status=all'))[0].title, 'New three')
    })

    test('console 3: a field is set where it may be, and each refusal is told; semicolons separate cells', async () => {
      const names = { singularName: 'berth', pluralName: 'berths', displayName: 'Berth' }
      const attributes = { title: { type: 'string' }, mark: { type: 'string', unique: true } }
      await data('POST', '/api/v1/content-types', { body: { ...names, attributes } })
      const { page } = await signedIn('/content/berths')
      await page.getByRole('button', { name: 'Import' }).click()
      const buffer = Buffer.from('title;mark\r\n"A; b";1,5\r\nC;2\r\n')
      const file = { name: 'berths.csv', mimeType: 'text/csv', buffer }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByRole('button', { name: 'Import 2 rows' }).click()
      await page.getByText('2 taken, 0 refused').waitFor()
      await page.keyboard.press('Escape')
      const made = await data('GET', '/api/v1/berths?sort=id')
      assert.deepEqual(
        made.map(({ title, mark }: { title: string; mark: string }) => [title, mark]),
        [
          ['A; b', '1,5'],
          ['C', '2'],
        ],
      )

      await page.locator('tr[data-row]').nth(1).waitFor()
      await page.getByLabel('Select all on this page').check()
      await page.getByRole('button', { name: 'Set a field' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Field').selectOption('mark')
      await dialog.getByLabel('mark').fill('only one')
      await dialog.getByRole('button', { name: 'Set it' }).click()
      await dialog.getByText('1 changed, 1 refused').waitFor()
      await dialog.getByText(/^#\d+ .*mark/).waitFor()
      assert.equal((await data('GET', '/api/v1/berths?mark=only one')).length, 1)
    })

    test('console 3: an export is taken back as it was, and a server that no longer answers ends the import with a report', async () => {
      const attributes = { title: { type: 'string' }, site: { type: 'link' } }
      const names = { singularName: 'phone', pluralName: 'phones', displayName: 'Phone' }
      const type = { ...names, displayField: 'title', attributes }
      await data('POST', '/api/v1/content-types', { body: type })
      const body = { title: '+49 "170"', site: { url: 'https://example.com/' } }
      const { site } = await data('POST', '/api/v1/phones', { body })
      const { page } = await signedIn('/content/phones')
      await page.locator('tr[data-row]').waitFor()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: 'CSV' }).click()
      await page.getByRole('button', { name: 'Import' }).click()
      await page.locator('input[type=file]').setInputFiles(await (await download).path())
      await page.getByRole('button', { name: 'Import 1 rows' }).click()
      await page.getByText('1 taken, 0 refused').waitFor()
      const kept = await data('GET', '/api/v1/phones')
      assert.deepEqual(
        kept.map((each: typeof body) => [each.title, each.site]),
        [1, 2].map(() => [body.title, site]),
      )

      const lines = Array.from({ length: 150 }, (_, index) => `Line ${index}`)
      const buffer = Buffer.from(`title\r\nM\xfcnchen\r\n${lines.join('\r\n')}`, 'latin1')
      const file = { name: 'phones.csv', mimeType: 'text/csv', buffer }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByText('München').waitFor()
      let asked = 0
      await page.route('**/phones/bulk', (route) =>
        ++asked === 1 ? route.continue() : route.abort('connectionreset'),
      )
      await page.getByRole('button', { name: 'Import 151 rows' }).click()
      await page.getByText('100 taken, 51 refused').waitFor()
      await page.getByText('Line 152: Not taken: The server does not answer').waitFor()
      await page.unroute('**/phones/bulk')
    })

    test('console §1: going back shows what was searched for before', async () => {
      const { page } = await signedIn('/content/logs?per_page=20')
      const words = page.getByLabel('Search in entries')
      await words.fill('Entry 042')
      await page.waitForURL(/q=Entry/)
      await page.locator('tr[data-row]').nth(1).waitFor({ state: 'detached' })
      await page.goBack()
      await page.locator('tr[data-row]').nth(19).waitFor()
      assert.equal(await words.inputValue(), '')
    })

    test('console §3: everything is found by Ctrl-K and keys alone: screens, types and entries', async () => {
      const { page } = await signedIn('/media')
      await page.getByRole('heading', { name: 'Media' }).waitFor()
      await page.keyboard.press('Control+K')
      // By keys alone: opened, typed into, moved in and left by Enter.
      const words = page.getByPlaceholder('Types, entries')
      await words.waitFor()
      await until(() => hasFocus(page, words))
      await page.keyboard.type('Entry 042')
      const found = page.getByRole('button', { name: /^Entry 042/ })
      await found.waitFor()
      await until(async () => {
        if ((await found.getAttribute('data-selected')) !== null) return true
        await page.keyboard.press('ArrowDown')
        return undefined
      })
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Entry 042' }).waitFor()
    })

    test('console §3: what is typed right after Ctrl-K is searched for, also while the search is being loaded', async () => {
      const { page, complaints } = await signedIn('/')
      const loaded = Promise.withResolvers<void>()
      const code = /\/find-everything-/
      await page.route(code, async (route) => {
        await loaded.promise
        await route.continue()
      })
      await page.goto(`${server().url}/console/media`)
      const names = page.getByRole('textbox').first()
      await names.focus()
      await page.keyboard.press('Control+K')
      await page.keyboard.type('Entry 0420')
      await page.keyboard.press('Backspace')
      await page.keyboard.press('Enter')
      assert.equal(await names.inputValue(), '', 'the field that had the focus gets none of it')
      loaded.resolve()
      const words = page.getByPlaceholder('Types, entries')
      await until(() => hasFocus(page, words))
      assert.equal(await words.inputValue(), 'Entry 042')
      await page.getByRole('button', { name: /^Entry 042/ }).waitFor()
      await page.keyboard.type('x')
      assert.equal(await words.inputValue(), 'Entry 042x')
      await page.keyboard.press('Control+K')
      await words.waitFor({ state: 'detached' })
      // The code is there now, and its field not at once.
      await page.keyboard.press('Control+K')
      await page.keyboard.type('Entry 043')
      await page.getByRole('button', { name: /^Entry 043/ }).waitFor()
      assert.equal(await words.inputValue(), 'Entry 043')
      await page.unroute(code)
      assert.deepEqual(complaints, [])
    })

    test('console §3: Ctrl-K finds entries of the last of many types, also by odd words, and leads to the key it names', async () => {
      const attributes = { title: { type: 'string' } }
      const contentTypes = Array.from({ length: 12 }, (_, n) => ({
        ...{ singularName: `crate-${n}`, pluralName: `crates-${n}`, attributes },
      }))
      await data('POST', '/api/v1/content-types/batch', { body: { contentTypes } })
      await data('POST', '/api/v1/crates-11', { body: { title: 'Quince & "Medlar" 100%' } })
      const plan = await data('POST', '/api/v1/plans', {
        body: { name: 'Of crates', requests_per_month: 1, requests_per_minute: 1 },
      })
      const { id } = await data('POST', '/api/v1/keys', {
        body: { plan_id: plan.id, name: 'quincekey' },
      })
      const { page, complaints } = await signedIn('/media')
      await page.getByRole('heading', { name: 'Media' }).waitFor()
      await page.keyboard.press('Control+K')
      const words = page.getByPlaceholder('Types, entries')
      for (const text of ['"', '%', '(a|b)*', '\\', '😀😀', 'x'.repeat(500)]) {
        await words.fill(text)
        await page
          .getByText('Nothing has this name')
          .or(page.getByRole('button').nth(3))
          .first()
          .waitFor()
      }
      await words.fill('Medlar')
      await page.getByRole('button', { name: /^Quince/ }).waitFor()
      await words.fill('quincekey')
      await page.getByRole('button', { name: /^quincekey/ }).click()
      await page.getByRole('dialog', { name: 'Key quincekey' }).waitFor()
      assert.deepEqual(complaints, [])
      await data('POST', `/api/v1/keys/${id}/revoke`)
      for (const { singularName } of contentTypes) {
        await data('DELETE', `/api/v1/content-types/${singularName}?force=true`)
      }
    })
  })
}
