import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import { until } from '#test-kit'
import { type ConsoleServer, field } from './support.ts'

const MANY = 103

interface Cage {
  readonly sealed: boolean
  readonly bars: readonly { readonly word: string }[]
}

/** What an editor does not show, or has not seen yet, is neither erased nor published. */
export function keptValues({ call, data, signedIn }: ConsoleServer): void {
  describe('what is not shown', () => {
    const path = '/api/v1/vaults'
    before(async () => {
      const links = { type: 'relation', relation: 'manyToMany', target: 'coin' }
      const word = { type: 'string' }
      const code = { type: 'string', private: true, required: true }
      const types: object[] = [
        { singularName: 'coin', pluralName: 'coins', attributes: { title: { type: 'string' } } },
        {
          ...{ singularName: 'vault', pluralName: 'vaults', draftAndPublish: true },
          attributes: {
            title: { type: 'string' },
            code,
            pin: { type: 'string', private: true },
            constructor: { type: 'string' },
            lock: { type: 'component', component: 'default.lock' },
            bars: { type: 'component', component: 'default.bar', repeatable: true },
            coins: links,
          },
        },
      ]
      const components = [
        { name: 'lock', attributes: { word, code, coins: links } },
        { name: 'bar', attributes: { word } },
      ]
      const body = { contentTypes: types, components }
      await data('POST', '/api/v1/content-types/batch', { body })
    })

    const press = (page: Page, name: string) =>
      page.getByRole('button', { name, exact: true }).click()
    const inside = (page: Page, part: string, name: string) =>
      page.locator(`[data-field="${part}"] [data-field="${name}"] input`).first()
    const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor()

    test('console 2: a save keeps private values, also those of components, and says that they are not shown', async () => {
      const body = { title: 'Deep', code: 'a', lock: { word: 'Iron', code: 'b' } }
      const { id, document_id } = await data('POST', path, { body })
      const { page, complaints } = await signedIn(`/content/vaults/${document_id}`)
      await page.getByText('Private: what is stored is never shown').first().waitFor()
      assert.equal(await field(page, 'constructor').inputValue(), '')
      await inside(page, 'lock', 'word').fill('Steel')
      await field(page, 'title').fill('Deeper')
      // Both are required to publish: what had been erased would be missed.
      await press(page, 'Publish')
      await page.getByText('Published', { exact: true }).first().waitFor()
      const { title, lock } = await data('GET', `${path}/${id}`)
      assert.deepEqual([title, lock.word], ['Deeper', 'Steel'])
      assert.deepEqual(complaints, [])
    })

    test('console 2: a private value is cleared on purpose, also in a component, and by nothing else', async () => {
      const body = { title: 'Shut', code: 'a', pin: 'b', lock: { word: 'Iron', code: 'c' } }
      const { document_id } = await data('POST', path, { body })
      const { page } = await signedIn(`/content/vaults/${document_id}`)
      const clear = (name: string) => page.getByLabel(`Clear what is stored in ${name}`)
      await clear('pin').check()
      // Typed and taken away again: as if nothing had been written.
      await field(page, 'code').fill('x')
      await field(page, 'code').fill('')
      await inside(page, 'lock', 'code').fill('x')
      await clear('code').last().check()
      assert.equal(await inside(page, 'lock', 'code').inputValue(), '')
      const [request] = await Promise.all([
        page.waitForRequest((sent) => sent.method() === 'PATCH'),
        press(page, 'Save draft'),
      ])
      const { pin, code, lock } = request.postDataJSON()
      assert.deepEqual([pin, code, lock.code], [null, undefined, null])
      await saved(page)
      // It is required to publish.
      await press(page, 'Publish')
      await page.getByText('lock.code').first().waitFor()
      await page.goto(page.url().replace(document_id, 'new'))
      await field(page, 'title').waitFor()
      assert.equal(await clear('code').count(), 0)
    })

    test('console 2: a change of an entry with more links and blocks than an answer shows keeps the others', async () => {
      const operations = Array.from({ length: MANY }, (_, index) => ({
        op: 'create',
        data: { title: `Coin ${index}` },
      }))
      await data('POST', '/api/v1/coins/bulk', { body: { operations } })
      const first = await data('GET', '/api/v1/coins?sort=id&per_page=100')
      const more = await data('GET', '/api/v1/coins?sort=id&per_page=100&page=2')
      const coins = [...first, ...more].map(({ id }: { id: number }) => id)
      const bars = Array.from({ length: MANY }, (_, index) => ({ word: `Bar ${index}` }))
      const lock = { word: 'Iron', code: 'b', coins }
      const body = { title: 'Full', code: 'a', coins, bars, lock }
      const { id, document_id } = await data('POST', path, { body })
      const { page } = await signedIn(`/content/vaults/${document_id}`)
      await inside(page, 'lock', 'word').fill('Steel')
      await inside(page, 'bars', 'word').first().fill('Gold')
      const own = page.locator('[data-field="coins"]').last()
      await own.getByText('the first are shown, the others stay').waitFor()
      await own.getByRole('button', { name: 'Remove Coin 1 from coins' }).click()
      await own.getByRole('button', { name: 'Move Coin 3 up in coins' }).click()
      await press(page, 'Save draft')
      await saved(page)
      const { bars: kept } = await data('GET', `${path}/${id}?status=all`)
      assert.deepEqual([kept.length, kept[0].word, kept.at(-1).word], [MANY, 'Gold', 'Bar 102'])
      const { body: linked } = await call('GET', `${path}/${id}/coins?status=all`)
      assert.equal(linked.meta.total, MANY - 1)
      const { coins: now } = await data('GET', `${path}/${id}?status=all&include=coins`)
      assert.deepEqual(
        now.slice(0, 4).map(({ title }: { title: string }) => title),
        ['Coin 0', 'Coin 3', 'Coin 2', 'Coin 4'],
      )
      const query = 'filters[lock][coins][title][$eq]=Coin 102&status=all'
      const { body: found } = await call('GET', `/api/v1/vaults?${query}`)
      assert.equal(found.data.length, 1, JSON.stringify(found))
    })

    test('console 2: links in components of components of components are seen and kept', async () => {
      const [a, b, c] = await Promise.all(
        ['Penny', 'Groat', 'Crown'].map((title) =>
          data('POST', '/api/v1/coins', { body: { title } }),
        ),
      )
      const coins = { type: 'relation', relation: 'manyToMany', target: 'coin' }
      const part = (component: string) => ({ type: 'component', component: `default.${component}` })
      const components = [
        { name: 'purse', attributes: { word: { type: 'string' }, coins } },
        { name: 'drawer', attributes: { purse: part('purse') } },
        { name: 'desk', attributes: { drawer: part('drawer') } },
      ]
      const office = { singularName: 'office', pluralName: 'offices' }
      const contentTypes = [{ ...office, attributes: { desk: part('desk') } }]
      await data('POST', '/api/v1/content-types/batch', { body: { contentTypes, components } })
      const purse = { word: 'Leather', coins: [a.id, b.id] }
      const { id, document_id } = await data('POST', '/api/v1/offices', {
        body: { desk: { drawer: { purse } } },
      })
      const { page } = await signedIn(`/content/offices/${document_id}`)
      const links = page.locator('[data-field="coins"]')
      await links.getByRole('link', { name: 'Groat' }).waitFor()
      await links.getByRole('button', { name: 'Remove Penny from coins' }).click()
      await links.getByRole('textbox').fill('Crown')
      await page.getByRole('option', { name: 'Crown' }).click()
      await press(page, 'Save')
      await saved(page)
      const include = 'desk.drawer.purse.coins'
      const now = await data('GET', `/api/v1/offices/${id}?include=${include}`)
      const ids = now.desk.drawer.purse.coins.map((coin: { id: number }) => coin.id)
      assert.deepEqual(ids, [b.id, c.id])
    })

    test('console 2: a new language is offered at once, and markup the editor does not know is shown as source when it is filled in', async () => {
      const names = { singularName: 'letter', pluralName: 'letters', displayName: 'Letter' }
      const attributes = { text: { type: 'richtext', format: 'full_html' } }
      const body = { ...names, localized: true, attributes }
      await data('POST', '/api/v1/content-types', { body })
      const table = '<table><tbody><tr><td>Tide</td></tr></tbody></table>'
      const { document_id } = await data('POST', '/api/v1/letters', { body: { text: table } })
      const { page } = await signedIn(`/content/letters/${document_id}`)
      const languages = page.getByLabel('Language', { exact: true })
      await languages.waitFor()
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('tab', { name: 'Languages' }).click()
      await page.getByRole('button', { name: 'New language' }).click()
      const dialog = page.getByRole('dialog', { name: 'New language' })
      await dialog.getByLabel('Code').fill('fr')
      await dialog.getByLabel('Name').fill('Français')
      await press(page, 'Save')
      await dialog.waitFor({ state: 'hidden' })
      // By the page alone, which has read the languages before.
      await page.getByRole('link', { name: 'Content' }).click()
      await page.getByRole('link', { name: 'Letter' }).click()
      await page.getByRole('heading', { name: 'Letter', exact: true }).waitFor()
      await page.locator('tr[data-row]').first().click()
      await languages.selectOption('fr')
      const text = page.getByRole('textbox', { name: 'text', exact: true })
      await text.fill('Plain')
      await page.getByLabel('Beside it').selectOption('en')
      await press(page, 'Fill from it')
      await page.getByLabel('text as HTML').waitFor()
      await press(page, 'Save')
      await saved(page)
      const french = await data('GET', `/api/v1/letters/${document_id}?locale=fr`)
      assert.equal(french.text, table)
      await call('DELETE', '/api/v1/locales/fr?force=true')
    })

    test('console 2: a block with blocks is copied, another language is filled with blocks, and defaults are seen', async () => {
      await data('POST', '/api/v1/locales', { body: { code: 'da', name: 'Danish' } })
      const bar = { type: 'component', component: 'default.bar', repeatable: true }
      const sealed = { type: 'boolean', default: true }
      const cage = { name: 'cage', attributes: { bars: bar, sealed } }
      await data('POST', '/api/v1/components', { body: cage })
      const attributes = {
        title: { type: 'string', default: 'Unnamed' },
        cages: { type: 'component', component: 'default.cage', repeatable: true },
      }
      const names = { singularName: 'hold', pluralName: 'holds', displayName: 'Hold' }
      await data('POST', '/api/v1/content-types', {
        body: { ...names, localized: true, attributes },
      })
      const { page } = await signedIn('/content/holds/new')
      await page.locator('[data-field="title"] input[value="Unnamed"]').waitFor()
      await press(page, 'Add to cages')
      await press(page, 'Add to bars')
      await inside(page, 'bars', 'word').fill('Iron')
      await press(page, 'Save')
      await page.waitForURL(/holds\/[0-9a-f-]{36}/)
      await page.getByRole('heading', { name: 'Unnamed' }).waitFor()
      await press(page, 'Copy Cage')
      await press(page, 'Save')
      const address = `/api/v1/holds/${page.url().split('/').at(-1)?.split('?')[0]}`
      const shown = async (locale: string) => {
        const { body } = await call('GET', `${address}?locale=${locale}`)
        const { title, cages = [] } = body.data ?? {}
        return [title, ...cages.map((each: Cage) => [each.sealed, each.bars[0]?.word])]
      }
      const becomes = (locale: string, ...words: string[]) =>
        until(async () => {
          const wanted = ['Unnamed', ...words.map((word) => [true, word])]
          return isDeepStrictEqual(await shown(locale), wanted)
        })
      await becomes('en', 'Iron', 'Iron')

      for (const round of ['made', 'changed']) {
        await page.goto(`${page.url().split('?')[0]}?locale=da`)
        await page.getByLabel('Beside it').selectOption('en')
        await press(page, 'Fill from it')
        await page.locator('[data-field="word"] input[value="Iron"]').nth(1).waitFor()
        await inside(page, 'bars', 'word').first().fill(round)
        await press(page, 'Save')
        await becomes('da', round, 'Iron')
      }
      await data('DELETE', '/api/v1/locales/da?force=true')
    })

    for (const [action, done] of [
      ['Publish', 'published'],
      ['Discard changes', 'published'],
      ['Unpublish', 'draft'],
    ] as const) {
      test(`console 4: ${action} meets what somebody else has saved as saving does, and does nothing unseen`, async () => {
        const { id } = await data('POST', path, { body: { title: 'Live', code: 'a' } })
        const own = `${path}/${id}?status=draft`
        const { document_id } = await data('PATCH', own, { body: { title: 'Draft' } })
        const { page } = await signedIn(`/content/vaults/${document_id}`)
        await field(page, 'title').waitFor()
        await data('PATCH', own, { body: { title: 'Of another tab' } })
        await press(page, action)
        const dialog = page.getByRole('dialog', { name: 'Somebody else has saved this entry' })
        await dialog.getByText('Changed there: title').waitFor()
        assert.equal((await data('GET', `${path}/${id}`)).title, 'Live')
        assert.equal((await data('GET', `${path}/${id}?status=draft`)).title, 'Of another tab')
        await dialog.getByRole('button', { name: 'Go on with this' }).click()
        await dialog.waitFor({ state: 'hidden' })
        assert.equal(await field(page, 'title').inputValue(), 'Of another tab')
        await press(page, action)
        await page.getByText(done, { exact: true }).first().waitFor()
        const { status } = await data('GET', `${path}/${id}?status=all`)
        assert.equal(status, done)
      })
    }
  })
}
