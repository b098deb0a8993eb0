import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CONTENT, deliverySuite, type Item, MEDIA } from './support.ts'

/** What front-ends of the modelled system found missing or different. */
export const finerPoints = deliverySuite('finer points of content delivery', (delivery) => {
  const { ok, data, create, upload, settings, refused, calls } = delivery
  const at = { target: '', written: '', gone: '' }
  let cover: Item

  before(async () => {
    cover = await upload('Cover.png')
    const target = await create('articles', { title: 'Target' })
    const gone = await create('articles', { title: 'Gone' })
    const link = (id: string, behind = '') => `<a href="/{localLink:${id}}${behind}">x</a>`
    const body = [
      `<p>${link(target.document_id, '?a=1&amp;b=2#top')}${link(gone.document_id)}`,
      `${link(cover.uuid, '?rmode=max')}<a href="/articles/target?x=1">path</a></p>`,
    ].join('')
    const written = await create('articles', { title: 'Written', body, cover: cover.id })
    Object.assign(at, {
      ...{ target: target.document_id, written: written.document_id, gone: gone.document_id },
    })
    await data('POST', `/api/v1/articles/${gone.id}/unpublish`)
  })

  test('delivery 17: links in markup say where they lead, and no link is left without an address', async () => {
    const { properties } = await ok(`${CONTENT}/item/${at.written}`)
    const { markup } = properties.body
    assert.ok(!markup.includes('<a >'), markup)
    assert.ok(markup.includes('<a>x</a>'), markup)
    const [content = '', file = ''] = markup.match(/<a [^>]*>/g) ?? []
    assert.match(content, /^<a href="\/target\/\?a=1&amp;b=2#top" data-start-item-path="articles"/)
    assert.ok(content.includes(` data-destination-id="${at.target}"`), content)
    assert.ok(
      content.includes(' data-destination-type="article" data-link-type="Content"'),
      content,
    )
    assert.match(file, /^<a href="\/uploads\/[^"]+\?rmode=max" data-destination-id=/)
    assert.ok(file.includes(' data-destination-type="Image" data-link-type="Media"'), file)
  })

  test('delivery 17: a link in a tree has its query in its route', async () => {
    await settings({ RichTextOutputAsJson: true })
    const { properties } = await ok(`${CONTENT}/item/${at.written}`)
    const [paragraph] = properties.body.elements
    const [content, gone, file, path] = paragraph.elements.map((each: Item) => each.attributes)
    assert.equal(content.route.queryString, '?a=1&b=2#top')
    assert.equal(content.route.path, '/target/')
    assert.equal(content.queryString, undefined)
    assert.deepEqual(gone, {})
    assert.match(file.href, /^\/uploads\/.*\?rmode=max$/)
    assert.equal(path.route.queryString, '?x=1')
    await settings({ RichTextOutputAsJson: null })
  })

  test('delivery 7: crops are null for what is no picture', async () => {
    const text = await uploadText('words.txt')
    await data('PATCH', `/api/v1/media/${text.id}`, { body: { folder: '/papers' } })
    assert.equal((await ok(`${MEDIA}/item/${text.uuid}`)).crops, null)
    assert.equal((await ok(`${MEDIA}/item/papers`)).crops, null)
    assert.deepEqual((await ok(`${MEDIA}/item/${cover.uuid}`)).crops, [])
  })

  async function uploadText(name: string) {
    const form = new FormData()
    form.set('file', new Blob(['plain words']), name)
    const headers = { 'x-api-key': (await delivery.keyOf('write')).key }
    const answer = await fetch(`${delivery.server().url}/api/v1/media`, {
      ...{ method: 'POST', body: form, headers },
    })
    return JSON.parse(await answer.text()).data
  }

  test('delivery 16: media are there without a key unless only something hidden uses them', async () => {
    const unused = await upload('Unused.png')
    const secret = await upload('Secret.png')
    const both = await upload('Both.png')
    await create('vaults', { name: 'Gold', file: secret.id })
    await create('vaults', { name: 'Silver', file: both.id })
    await create('articles', { title: 'Shows both', cover: both.id })
    const listed = async () => {
      const { items } = await ok(`${MEDIA}?take=100`)
      return items.map(({ name }: Item) => name)
    }
    const names = await listed()
    for (const name of ['Unused.png', 'Both.png', 'Cover.png'])
      assert.ok(names.includes(name), name)
    assert.ok(!names.includes('Secret.png'))
    assert.equal((await ok(`${MEDIA}/item/${unused.uuid}`)).name, 'Unused.png')
    assert.equal((await ok(`${MEDIA}/items?id=${unused.uuid}&id=${secret.uuid}`)).length, 1)
    await refused(404, `${MEDIA}/item/${secret.uuid}`)
    // Elsewhere what nothing public uses stays what it was: not there without a key.
    const { body } = await calls.call('GET', '/jsonapi/file/file?page[limit]=100', { key: null })
    const shown = body.data.map(({ id }: Item) => id)
    assert.ok(!shown.includes(unused.uuid))
    assert.ok(shown.includes(both.uuid))
  })

  test('delivery 14: a translation below a parent that lacks it is not delivered, nor what hangs below', async () => {
    const parent = await create('pages', { title: 'Parent' })
    const child = await create('pages', { title: 'Child', tree_parent_id: parent.document_id })
    const leaf = await create('pages', { title: 'Leaf', tree_parent_id: child.document_id })
    const translate = (of: Item, title: string) =>
      create('pages', { title, locale: 'da', document_id: of.document_id })
    const danish = await translate(child, 'Barn')
    await translate(leaf, 'Blad')
    const seen = async () => {
      const { items } = await ok(`${CONTENT}?filter=contentType:page&culture=da&take=100`)
      return items.map(({ name }: Item) => name).toSorted()
    }
    assert.equal(danish.document_id, child.document_id)
    assert.deepEqual(await seen(), [])
    await refused(404, `${CONTENT}/item/${child.document_id}?culture=da`)
    assert.equal((await ok(`${CONTENT}/item/${child.document_id}?culture=en`)).name, 'Child')
    const above = await translate(parent, 'Forælder')
    assert.deepEqual(await seen(), ['Barn', 'Blad', 'Forælder'])
    await data('DELETE', `/api/v1/pages/${above.id}`)
    assert.deepEqual(await seen(), [])
  })
})
