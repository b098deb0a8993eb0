import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { storeSuite } from './support.ts'
import { makePages } from './zones.ts'

const TYPES = '/api/v1/content-types'
const COMPONENTS = '/api/v1/components'
const PAGES = '/api/v1/pages'

interface Part {
  readonly __component: string
  readonly text?: string
  readonly title?: string
}

/** Content model §11: definitions with dynamic zones, and what becomes of entries when they change. */
export const zoneDefinitions = storeSuite('definitions of dynamic zones', ({ call, data }) => {
  before(() => makePages({ data }))
  const quote = (text: string) => ({ __component: 'default.quote', text })
  const gallery = (title: string) => ({
    ...{ __component: 'default.gallery', title },
    lines: [{ text: 'a' }],
  })
  const create = (sections: readonly object[]) => data('POST', PAGES, { body: { sections } })
  const zone = (...components: string[]) => ({ type: 'dynamiczone', components })
  const patch = (attributes: object, query = '') =>
    call('PATCH', `${TYPES}/page${query}`, { body: { attributes } })
  const kinds = async (id: number) =>
    (await data('GET', `${PAGES}/${id}`)).sections.map((part: Part) => part.text ?? part.title)

  test('content-model 13: what a zone cannot be is refused with its place', async () => {
    const refused = await call('POST', TYPES, {
      body: {
        ...{ singularName: 'bad', pluralName: 'bads' },
        attributes: {
          a: { type: 'dynamiczone' },
          b: zone(),
          c: { ...zone('default.quote'), min: 3, max: 2 },
          d: { ...zone('default.quote'), unique: true },
          e: zone('default.quote', 'default.quote'),
        },
      },
    })
    assert.equal(refused.status, 400)
    const fields = refused.body.error.details.map(({ field }: { field: string }) => field)
    for (const field of ['a.components', 'b.components', 'c.max', 'd.unique', 'e.components']) {
      assert.ok(fields.includes(`attributes.${field}`), `${field} of ${fields}`)
    }
    const unknown = await patch({ more: zone('default.quote', 'default.nothing') })
    assert.equal(unknown.status, 400)
    assert.equal(unknown.body.error.details[0].field, 'attributes.more.components.1')
    const nested = await call('POST', COMPONENTS, {
      body: { name: 'nest', attributes: { inner: zone('default.line') } },
    })
    assert.equal(nested.status, 400)
    assert.equal(nested.body.error.details[0].field, 'attributes.inner.type')
    const clash = await call('POST', TYPES, {
      body: { singularName: 'page-sections-dynamic-zone', pluralName: 'zones' },
    })
    assert.equal(clash.status, 409, JSON.stringify(clash.body))
  })

  test('content-model 11: a definition is shown as it can be sent back', async () => {
    const type = await data('GET', `${TYPES}/page`)
    assert.deepEqual(type.attributes.sections, {
      ...{ type: 'dynamiczone', components: ['default.quote', 'default.gallery'], max: 5 },
    })
    const { uid: _uid, uuid: _uuid, createdAt: _created, updatedAt: _updated, ...body } = type
    const put = await call('PUT', `${TYPES}/page`, { body })
    assert.equal(put.status, 200, JSON.stringify(put.body))
    const schema = await data('GET', '/api/content-type-builder/content-types/api::page.page')
    assert.deepEqual(
      schema.schema.attributes.sections.components,
      type.attributes.sections.components,
    )
    const components = (await call('GET', '/api/content-type-builder/components', { key: null }))
      .body
    assert.deepEqual(components.data.map(({ uid }: { uid: string }) => uid).toSorted(), [
      'default.gallery',
      'default.line',
      'default.quote',
    ])
  })

  test('content-model 14: a component is taken out of a zone only with force while entries hold it', async () => {
    const page = await create([quote('a'), gallery('b'), quote('c')])
    const plain = await create([quote('only')])
    const narrowed = { sections: zone('default.quote') }
    const dry = await patch(narrowed, '?dry_run=true')
    assert.deepEqual(dry.body.data.changes, [
      {
        ...{ attribute: 'sections', contentType: 'page', action: 'change' },
        ...{ entriesAffected: 1, lossy: true },
      },
    ])
    const refused = await patch(narrowed)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.code, 'would_lose_data')
    assert.deepEqual(await kinds(page.id), ['a', 'b', 'c'])
    assert.equal((await patch(narrowed, '?force=true')).status, 200)
    assert.deepEqual(await kinds(page.id), ['a', 'c'])
    assert.deepEqual(await kinds(plain.id), ['only'])
    const offered = await call('PATCH', `${PAGES}/${page.id}`, {
      body: { sections: [gallery('x')] },
    })
    assert.equal(offered.body.error.details[0].field, 'sections.0.__component')
    // What it held of the component does not come back with it.
    const both = { sections: zone('default.gallery', 'default.quote') }
    assert.equal((await patch(both)).status, 200)
    assert.deepEqual(await kinds(page.id), ['a', 'c'])
    const body = {
      sections: [gallery('new'), ...(await data('GET', `${PAGES}/${page.id}`)).sections],
    }
    await data('PATCH', `${PAGES}/${page.id}`, { body })
    assert.deepEqual(await kinds(page.id), ['new', 'a', 'c'])
  })

  test('content-model 14: of very many entries, too, and in drafts', async () => {
    const operations = Array.from({ length: 150 }, (_, at) => ({
      op: 'create',
      data: {
        title: `Page ${at}`,
        sections: at % 3 === 0 ? [quote('q'), gallery('g')] : [quote('q')],
      },
    }))
    await call('POST', `${PAGES}/bulk`, { body: { operations } })
    const narrowed = { sections: zone('default.quote') }
    const { changes } = (await patch(narrowed, '?dry_run=true')).body.data
    assert.ok(changes[0].entriesAffected >= 50, JSON.stringify(changes))
    assert.equal((await patch(narrowed)).status, 409)
    assert.equal((await patch(narrowed, '?force=true')).status, 200)
    assert.equal((await patch({ sections: zone('default.quote', 'default.gallery') })).status, 200)
    const { body } = await call('GET', '/api/pages?populate=sections&pagination[pageSize]=100')
    const uids = body.data.flatMap(({ attributes }: { attributes: { sections: Part[] } }) =>
      attributes.sections.map(({ __component }) => __component),
    )
    assert.deepEqual([...new Set(uids)], ['default.quote'])
  })

  test('content-model 14: a zone is renamed with what it holds, and removed only with force', async () => {
    const page = await create([quote('a'), gallery('b')])
    const both = zone('default.quote', 'default.gallery')
    const renamed = await patch({ parts: { ...both, renamedFrom: 'sections' }, sections: null })
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
    const { parts } = await data('GET', `${PAGES}/${page.id}`)
    assert.deepEqual(
      parts.map((part: Part) => part.text ?? part.title),
      ['a', 'b'],
    )
    const back = await patch({ sections: { ...both, renamedFrom: 'parts' }, parts: null })
    assert.equal(back.status, 200)
    assert.equal((await patch({ sections: null })).status, 409)
    const other = await patch({ sections: { type: 'component', component: 'default.quote' } })
    assert.equal(other.status, 409)
  })

  test('content-model 14: attributes of a component change in the zones that hold it', async () => {
    const page = await create([quote('a'), gallery('b')])
    await data('PATCH', `${COMPONENTS}/default.quote`, {
      body: { attributes: { tone: { type: 'string', default: 'calm' } } },
    })
    const { sections } = await data('GET', `${PAGES}/${page.id}`)
    assert.deepEqual([sections[0].text, sections[0].tone], ['a', null])
    const lossy = await call('PATCH', `${COMPONENTS}/default.quote`, {
      body: { attributes: { text: null } },
    })
    assert.equal(lossy.status, 409)
  })

  test('content-model 14: a component that is removed leaves the zones that held it, and an empty one goes', async () => {
    const page = await create([quote('a'), gallery('b')])
    await patch({ extra: zone('default.gallery') })
    const refused = await call('DELETE', `${COMPONENTS}/default.gallery`)
    assert.equal(refused.status, 409)
    const lines = refused.body.error.changes
    assert.ok(
      lines.some((line: Record<string, unknown>) => {
        return line['attribute'] === 'sections' && Number(line['entriesAffected']) > 0
      }),
      JSON.stringify(lines),
    )
    assert.equal((await call('DELETE', `${COMPONENTS}/default.gallery?force=true`)).status, 204)
    const { attributes } = await data('GET', `${TYPES}/page`)
    assert.deepEqual(attributes.sections.components, ['default.quote'])
    assert.equal(attributes.extra, undefined)
    assert.deepEqual(await kinds(page.id), ['a'])
  })
})
