import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConsoleServer } from './support.ts'

export function typeDesigner({ data, signedIn }: ConsoleServer): void {
  describe('types', () => {
    test('console 5: a type is made; an attribute is added, renamed, converted and removed, each after its dry run', async () => {
      const { page, complaints } = await signedIn('/types/new')
      await page.getByLabel('Name', { exact: false }).first().fill('Crane')
      const add = async (name: string, kind: string) => {
        await page.getByRole('button', { name: 'Add an attribute' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Name').fill(name)
        await dialog.getByLabel('Kind').selectOption(kind)
        await dialog.getByRole('button', { name: 'Done' }).click()
      }
      await add('title', 'string')
      await add('load', 'string')
      await page.getByRole('button', { name: 'Make the type' }).click()
      await page.waitForURL(/content\/cranes/)
      for (const load of ['12', 'heavy']) {
        await data('POST', '/api/v1/cranes', { body: { title: 'C', load } })
      }

      await page.goto(page.url().replace('/content/cranes', '/types/crane'))
      await add('built', 'date')
      await page.getByRole('button', { name: 'Edit load' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('tonnes')
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Review the change' }).click()
      await page.getByRole('button', { name: 'Make the change' }).click()
      await page.getByText('The type is changed').waitFor()
      const renamed = await data('GET', '/api/v1/cranes?sort=id')
      assert.deepEqual(
        renamed.map(({ tonnes }: { tonnes: string }) => tonnes),
        ['12', 'heavy'],
      )

      await page.getByRole('button', { name: 'Edit tonnes' }).click()
      await page.getByRole('dialog').getByLabel('Kind').selectOption('integer')
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Review the change' }).click()
      const dialog = page.getByRole('dialog', { name: 'What this change does' })
      await dialog.getByText(/lose/).first().waitFor()
      assert.equal(await dialog.getByRole('button', { name: /Lose them/ }).isDisabled(), true)
      await dialog.getByLabel(/Type crane/).fill('crane')
      await dialog.getByRole('button', { name: /Lose them/ }).click()
      await dialog.waitFor({ state: 'hidden' })
      const converted = await data('GET', '/api/v1/cranes?sort=id')
      assert.equal(converted[0].tonnes, 12)

      await page.getByRole('button', { name: 'Remove title' }).click()
      await page.getByRole('button', { name: 'Review the change' }).click()
      const removal = page.getByRole('dialog', { name: 'What this change does' })
      await removal.getByText('2 entries lose its value').waitFor()
      await removal.getByRole('button', { name: 'Cancel' }).click()
      assert.equal((await data('GET', '/api/v1/cranes?sort=id'))[0].title, 'C')
      assert.deepEqual(complaints, [])
    })

    test('console 5: a name is changed before and after a type is made, whatever it was called in between', async () => {
      const { page } = await signedIn('/types/new')
      const dialog = page.getByRole('dialog')
      const done = () => dialog.getByRole('button', { name: 'Done' }).click()
      const rename = async (from: string, to: string) => {
        await page.getByRole('button', { name: `Edit ${from}`, exact: true }).click()
        await dialog.getByLabel('Name').fill(to)
        await done()
      }
      const add = async (name: string, kind: string, option: string, value: string) => {
        await page.getByRole('button', { name: 'Add an attribute' }).click()
        await dialog.getByLabel('Name').fill(name)
        await dialog.getByLabel('Kind').selectOption(kind)
        if (option !== '') await dialog.getByLabel(option).selectOption(value)
        await done()
      }
      await page.getByLabel('Name', { exact: false }).first().fill('Winch')
      await add('titel', 'string', '', '')
      await add('slug', 'uid', 'Made from', 'titel')
      await add('constructor', 'boolean', 'Default', 'true')
      await rename('titel', 'title')
      await page.getByRole('button', { name: 'Make the type' }).click()
      await page.waitForURL(/content\/winchs/)
      const made = await data('GET', '/api/v1/content-types/winch')
      assert.equal(made.displayField, 'title')
      assert.deepEqual(made.attributes, {
        title: { type: 'string' },
        slug: { type: 'uid', targetField: 'title' },
        constructor: { type: 'boolean', default: true },
      })

      await data('POST', '/api/v1/winchs', { body: { title: 'W' } })
      await page.goto(page.url().replace('/content/winchs', '/types/winch'))
      await rename('title', 'name')
      await rename('name', 'label')
      await page.getByRole('button', { name: 'Edit label' }).click()
      await dialog.getByLabel('Kind').selectOption('text')
      await done()
      await page.getByRole('button', { name: 'Remove constructor' }).click()
      await page.getByRole('button', { name: 'Review the change' }).click()
      await dialog.getByLabel(/Type winch/).fill('winch')
      await dialog.getByRole('button', { name: /Lose them/ }).click()
      await page.getByText('The type is changed').waitFor()
      assert.equal((await data('GET', '/api/v1/content-types/winch')).displayField, 'label')
      const [{ label, slug, ...others }] = await data('GET', '/api/v1/winchs')
      assert.deepEqual([label, slug, Object.hasOwn(others, 'constructor')], ['W', 'w', false])
    })

    test('console 5: attributes are put into another order by keyboard, also new and renamed ones, and values stay', async () => {
      const text = { type: 'string' }
      const names = { singularName: 'plank', pluralName: 'planks', displayName: 'Plank' }
      const body = { ...names, attributes: { wood: text, length: text, price: text } }
      await data('POST', '/api/v1/content-types', { body })
      const values = { wood: 'oak', length: '3', price: '9' }
      const { id } = await data('POST', '/api/v1/planks', { body: values })
      const { page, complaints } = await signedIn('/types/plank')
      const up = page.getByRole('button', { name: 'Move price up' })
      await up.focus()
      await page.keyboard.press('Enter')
      // The button goes with its row, and the focus with it.
      await page.keyboard.press('Enter')
      assert.equal(await up.isDisabled(), true)
      await page.getByRole('button', { name: 'Edit length' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('metres')
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Add an attribute' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('grade')
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
      const grade = page.getByRole('button', { name: 'Move grade up' })
      await grade.click()
      await grade.click()
      // Meanwhile somebody else has added one.
      const more = { attributes: { knots: { type: 'integer' } } }
      await data('PATCH', '/api/v1/content-types/plank', { body: more })
      await page.getByRole('button', { name: 'Review the change' }).click()
      await page.getByRole('button', { name: 'Make the change' }).click()
      await page.getByText('The type is changed').waitFor()
      const { attributes } = await data('GET', '/api/v1/content-types/plank')
      assert.deepEqual(Object.keys(attributes), ['price', 'grade', 'wood', 'metres', 'knots'])
      const { wood, metres, price } = await data('GET', `/api/v1/planks/${id}`)
      assert.deepEqual([wood, metres, price], ['oak', '3', '9'])
      await page.getByRole('button', { name: 'Move knots down' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Review the change' }).isDisabled(), true)
      assert.deepEqual(complaints, [])
    })
  })
}
