import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { until } from '#test-kit'
import { storeSuite } from './support.ts'

const NOTES = '/api/v1/notices'
const DELIVERED = '/cms/delivery/api/v2/content/item'

/** Zones on their way through the rest of the product. */
export const zoneJourneys = storeSuite('dynamic zones elsewhere', ({ call, data }) => {
  before(async () => {
    const attributes = { body: { type: 'richtext' }, caption: { type: 'string' } }
    await data('POST', '/api/v1/components', { body: { name: 'prose', attributes } })
    await data('POST', '/api/v1/components', {
      body: {
        name: 'label',
        attributes: { text: { type: 'string' }, hint: { type: 'string', private: true } },
      },
    })
    const zone = { type: 'dynamiczone', components: ['default.prose', 'default.label'] }
    const single = { type: 'component', component: 'default.prose' }
    await data('POST', '/api/v1/content-types', {
      body: {
        ...{ singularName: 'notice', pluralName: 'notices', draftAndPublish: true },
        attributes: { title: { type: 'string' }, zone, single },
      },
    })
  })

  const prose = (value: string, format: string) => ({
    ...{ __component: 'default.prose', body: { value, format } },
  })
  const label = (text: string) => ({ __component: 'default.label', text })

  test('content-model 3.1: the format of rich text is stored with it in components and zones, too', async () => {
    const zone = [prose('**One**', 'markdown'), prose('<p>Two</p>', 'full_html'), label('x')]
    const { __component: _, ...single } = prose('*Three*', 'markdown')
    const { id, document_id } = await data('POST', NOTES, {
      body: { title: 'formats', zone, single },
    })
    const formats = async () => {
      const { body } = await call('GET', `/jsonapi/node/notice/${document_id}`)
      const { zone: blocks, single: one } = body.data.attributes
      return [
        ...blocks.slice(0, 2).map((block: { attributes: { body: { format: string } } }) => {
          return block.attributes.body.format
        }),
        one.body.format,
      ]
    }
    assert.deepEqual(await formats(), ['markdown', 'full_html', 'markdown'])
    const { body: item } = await call('GET', `${DELIVERED}/${document_id}`)
    const [first, second] = item.properties.zone.items
    assert.match(first.content.properties.body.markup, /<strong>One<\/strong>/)
    assert.equal(second.content.properties.body.markup, '<p>Two</p>')
    const [only] = item.properties.single.items
    assert.match(only.content.properties.body.markup, /<em>Three<\/em>/)
    // A change of something else keeps them, in the live and in the working copy.
    await data('PATCH', `${NOTES}/${id}?status=draft`, { body: { title: 'other' } })
    assert.deepEqual(await formats(), ['markdown', 'full_html', 'markdown'])
    await data('POST', `${NOTES}/${id}/publish`)
    assert.deepEqual(await formats(), ['markdown', 'full_html', 'markdown'])
    // So does a restored revision.
    await data('PATCH', `${NOTES}/${id}`, { body: { zone: [label('gone')] } })
    const revisions = await data('GET', `${NOTES}/${id}/revisions`)
    await data('POST', `${NOTES}/${id}/revisions/${revisions[1].id}/restore`)
    await data('POST', `${NOTES}/${id}/publish`)
    assert.deepEqual(await formats(), ['markdown', 'full_html', 'markdown'])
  })

  test('content-model 3.1: a record that is sent back is a copy with components of its own', async () => {
    const zone = [label('one'), prose('two', 'plain_text'), label('three')]
    const made = await data('POST', NOTES, { body: { title: 'original', zone } })
    const shown = await data('GET', `${NOTES}/${made.id}`)
    const withoutIds = shown.zone.map(({ id: _, ...part }: { id: number }) => part)
    const copy = await data('POST', NOTES, { body: { title: 'copy', zone: withoutIds } })
    const strip = (parts: { id: number }[]) => parts.map(({ id: _, ...part }) => part)
    assert.deepEqual(strip(copy.zone), strip(shown.zone))
    const ids = new Set([...shown.zone, ...copy.zone].map(({ id }: { id: number }) => id))
    assert.equal(ids.size, 6)
    await data('PATCH', `${NOTES}/${copy.id}`, { body: { zone: [] } })
    assert.equal((await data('GET', `${NOTES}/${made.id}`)).zone.length, 3)
  })

  test('rest-conventions 9: a change inside a zone is a change of its entry', async () => {
    const made = await data('POST', NOTES, { body: { title: 'told', zone: [label('before')] } })
    const now = await call('GET', '/api/v1/changes?after=now')
    const after = now.body.meta.next_after
    const [part] = (await data('GET', `${NOTES}/${made.id}`)).zone
    await data('PATCH', `${NOTES}/${made.id}`, { body: { zone: [{ ...part, text: 'after' }] } })
    const isTold = async () => {
      const { body } = await call('GET', `/api/v1/changes?after=${after}&types=notice`)
      return body.data.some(({ event, id }: { event: string; id: number }) => {
        return event === 'notice.updated' && id === made.id
      })
    }
    await until(isTold, { what: 'the change' })
    const same = await data('PATCH', `${NOTES}/${made.id}`, { body: { title: 'told' } })
    assert.equal(same.zone[0].id, part.id)
  })

  test('rest-conventions 6: many entries with zones come in one request, and a fault is told with its place', async () => {
    const create = (title: string, zone: unknown) => ({ op: 'create', data: { title, zone } })
    const operations = [
      create('b1', [label('x'), prose('y', 'markdown')]),
      create('b2', [{ __component: 'default.nothing' }]),
      create('b3', []),
    ]
    const { body } = await call('POST', `${NOTES}/bulk`, { body: { operations, atomic: false } })
    const outcome = body.data.map(({ status }: { status: number }) => status)
    assert.deepEqual([outcome[0], outcome[2]], [201, 201], JSON.stringify(body).slice(0, 500))
    assert.ok(outcome[1] >= 400)
    assert.match(JSON.stringify(body.data[1]), /zone/)
    const { data: found } = (
      await call('GET', `${NOTES}?filters[title][$in][0]=b1&filters[title][$in][1]=b3`)
    ).body
    assert.deepEqual(
      found.map(({ zone }: { zone: unknown[] }) => zone.length),
      [2, 0],
    )
  })

  test('cms-rest 4.3, rest-conventions 5: text in a zone is found by q, by _q and by words', async () => {
    const zone = [
      { ...label('The Wälrus-king'), hint: 'hidden clam' },
      prose('<p>Oysters <b>walk</b> along</p>', 'full_html'),
    ]
    const made = await data('POST', NOTES, { body: { title: 'Poem of Carroll', zone } })
    const other = await data('POST', NOTES, { body: { title: 'Poem of Lear', zone: [] } })
    const idsOf = (found: { id: number }[]) => found.map(({ id }) => id)
    const listed = async (text: string) => {
      const asked = encodeURIComponent(text)
      const rest = await call('GET', `${NOTES}?q=${asked}`)
      const cms = await call('GET', `/api/notices?_q=${asked}`)
      assert.deepEqual(idsOf(cms.body.data), idsOf(rest.body.data), text)
      assert.equal(rest.body.meta.total, rest.body.data.length)
      return idsOf(rest.body.data)
    }
    assert.deepEqual(await listed('WÄLR'), [made.id])
    assert.deepEqual(await listed('oysters'), [made.id])
    assert.deepEqual(await listed('poem of'), [made.id, other.id])
    assert.deepEqual(await listed('clam'), [], 'of a private attribute')
    const worded = async (text: string) => {
      const path = `/api/v1/search?types=notice&q=${encodeURIComponent(text)}`
      const { status, body } = await call('GET', path)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.meta.total, body.data.length, text)
      return body.data.map(
        (hit: { id?: number; entry?: { id: number } }) => hit.id ?? hit.entry?.id,
      )
    }
    assert.deepEqual(await worded('wälrus'), [made.id])
    assert.deepEqual(await worded('carroll king'), [made.id], 'words in different texts')
    assert.deepEqual(await worded('poem'), [other.id, made.id], 'each once')
    assert.deepEqual(await worded('lrus'), [])
    assert.deepEqual(await worded('clam'), [])
    await data('PATCH', `${NOTES}/${made.id}`, { body: { zone: [label('Carpenter')] } })
    assert.deepEqual(await listed('wälrus'), [])
    assert.deepEqual(await worded('wälrus'), [])
    assert.deepEqual(await worded('carpenter'), [made.id])
  })

  test('cms-rest 4.3, rest-conventions 5: text is found at every depth of a zone, and only there', async () => {
    const component = (name: string, attributes: object) =>
      data('POST', '/api/v1/components', { body: { name, attributes } })
    const holding = (name: string, more: object = {}) => ({
      ...{ type: 'component', component: `default.${name}`, ...more },
    })
    await component('word', { text: { type: 'string' }, hint: { type: 'string', private: true } })
    await component('verse', {
      words: holding('word', { repeatable: true }),
      last: holding('word'),
    })
    const silent = holding('word', { searchable: false })
    await component('poem', { verse: holding('verse'), verses: holding('verse'), silent })
    const zone = { type: 'dynamiczone', components: ['default.poem', 'default.word'] }
    await data('POST', '/api/v1/content-types', {
      body: {
        ...{ singularName: 'sheet', pluralName: 'sheets', draftAndPublish: true },
        attributes: { title: { type: 'string' }, zone, plain: holding('poem') },
      },
    })
    const poem = (verse: object) => ({ __component: 'default.poem', ...verse })
    const word = (text: string) => ({ text })
    const create = (title: string, parts: readonly object[], more: object = {}) =>
      data('POST', '/api/v1/sheets', { body: { title, zone: parts, ...more } })
    const listed = await create('in a list', [
      poem({ verse: { words: [word('gimble'), { text: 'wabe', hint: 'mimsy' }] } }),
    ])
    const last = await create('alone', [poem({ verses: { last: word('Gimble-Gyre') } })])
    const outside = { plain: { verse: { last: word('gimble') }, silent: word('gimble') } }
    await create('not in a zone', [], outside)
    await create('not searched', [poem({ silent: word('gimble') })])
    const idsOf = (found: readonly { id?: number; entry?: { id: number } }[]) =>
      found.map((hit) => hit.id ?? hit.entry?.id).sort()
    const everywhere = async (text: string, key?: null) => {
      const asked = encodeURIComponent(text)
      const found = []
      for (const path of [
        ...(key === null ? [] : [`/api/v1/sheets?q=${asked}`]),
        `/api/sheets?_q=${asked}`,
        ...(key === null ? [] : [`/api/v1/search?types=sheet&q=${asked}`]),
      ]) {
        const { status, body } = await call('GET', path, key === null ? { key } : {})
        assert.equal(status, 200, JSON.stringify(body))
        found.push(idsOf(body.data))
      }
      for (const each of found) assert.deepEqual(each, found[0], text)
      return found[0]
    }
    assert.deepEqual(await everywhere('gimble'), [listed.id, last.id])
    assert.deepEqual(await everywhere('GYRE', null), [last.id])
    assert.deepEqual(await everywhere('wabe'), [listed.id])
    assert.deepEqual(await everywhere('mimsy'), [], 'of a private attribute')
    // A draft is found as a draft.
    const changed = [poem({ verse: { last: word('outgrabe') } })]
    await data('PATCH', `/api/v1/sheets/${last.id}?status=draft`, { body: { zone: changed } })
    assert.deepEqual(await everywhere('outgrabe'), [])
    const drafts = await data('GET', '/api/v1/sheets?status=all&q=outgrabe')
    assert.deepEqual(idsOf(drafts), [last.id])
    assert.deepEqual(await everywhere('gyre'), [last.id])
  })
})
