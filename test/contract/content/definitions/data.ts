import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test-kit'
import type { Caller } from '../support.ts'

const TYPES = '/api/v1/content-types'

interface Change {
  readonly attribute: string | null
  readonly action: string
  readonly entriesAffected: number
  readonly lossy: boolean
}

/** Content model §11: changes of types that have entries. */
export function dataTests({ call, data }: Caller): void {
  const define = (singularName: string, attributes: object, more: object = {}) =>
    data('POST', TYPES, {
      body: { singularName, pluralName: `${singularName}s`, attributes, ...more },
    })
  const change = (name: string, attributes: object, query = '') =>
    call('PATCH', `${TYPES}/${name}${query}`, { body: { attributes } })
  const save = (plural: string, body: object) => data('POST', `/api/v1/${plural}`, { body })
  const list = (plural: string, query = '') => data('GET', `/api/v1/${plural}${query}`)

  test('content-model 1: a type is usable at once, and gone at once', async () => {
    await define('gull', { name: { type: 'string' } })
    const made = await save('gulls', { name: 'Jonathan' })
    assert.deepEqual(
      (await list('gulls')).map(({ name }: { name: string }) => name),
      ['Jonathan'],
    )
    assert.equal((await call('GET', '/api/gulls', { key: null })).status, 200)
    const shapes = { '': 'data{id}', '/offset': 'total', '/connection': 'totalCount' }
    const graphql = async (path: string, shape: string) =>
      (await call('POST', `/graphql${path}`, { key: null, body: { query: `{gulls{${shape}}}` } }))
        .body
    for (const [path, shape] of Object.entries(shapes)) {
      assert.equal((await graphql(path, shape)).errors, undefined, path)
    }
    assert.equal((await call('DELETE', `${TYPES}/gull?force=true`)).status, 204)
    for (const [path, shape] of Object.entries(shapes)) {
      const [error] = (await graphql(path, shape)).errors
      assert.equal(error.extensions.code, 'GRAPHQL_VALIDATION_FAILED', path)
    }
    for (const path of ['/api/v1/gulls', `/api/v1/gulls/${made.id}`, '/api/gulls']) {
      assert.equal((await call('GET', path)).status, 404, path)
    }
  })

  test('content-model 3: ids of each type begin at 1 and none is given again', async () => {
    await define('anchor', { name: { type: 'string' } })
    await define('buoy', { name: { type: 'string' } })
    const first = await save('anchors', { name: 'a' })
    const other = await save('buoys', { name: 'b' })
    assert.deepEqual([first.id, other.id], [1, 1])
    assert.equal((await save('anchors', { name: 'c' })).id, 2)
    assert.equal((await call('DELETE', '/api/v1/anchors/2')).status, 204)
    assert.equal((await save('anchors', { name: 'd' })).id, 3)
  })

  test('content-model 1: types that are made, changed and removed at the same time all are', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `knot${n}`)
    await Promise.all(names.map((name) => define(name, { [name]: { type: 'string' } })))
    const made = await Promise.all(names.map((name) => save(`${name}s`, { [name]: 'reef' })))
    assert.deepEqual(new Set(made.map(({ id }) => id)), new Set([1]))
    const more = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
    const attributes = Object.entries(more).slice(1)
    const changed = await Promise.all(
      attributes.map(([name, attribute]) => change('knot0', { [name]: attribute })),
    )
    assert.deepEqual(new Set(changed.map(({ status }) => status)), new Set([200]))
    const knot = await data('GET', `${TYPES}/knot0`)
    assert.deepEqual(Object.keys(knot.attributes).sort(), names.toSorted())
    const removed = await Promise.all(
      names.map((name) => call('DELETE', `${TYPES}/${name}?force=true`)),
    )
    assert.deepEqual(new Set(removed.map(({ status }) => status)), new Set([204]))
  })

  test('content-model 14: a removed attribute loses values only with force', async () => {
    await define('mast', {
      name: { type: 'string' },
      height: { type: 'integer' },
      note: { type: 'json' },
    })
    await save('masts', { name: 'main', height: 30, note: { a: 1 } })
    await save('masts', { name: 'fore', height: 25 })
    await save('masts', { name: 'aft' })

    const dry = await change('mast', { height: null, note: null }, '?dry_run=true')
    assert.equal(dry.status, 200)
    assert.deepEqual(summary(dry.body.data.changes), [
      ['height', 'remove', 2, true],
      ['note', 'remove', 1, true],
    ])
    const refused = await change('mast', { height: null, note: null })
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.code, 'would_lose_data')
    assert.deepEqual(summary(refused.body.error.changes), summary(dry.body.data.changes))
    assert.deepEqual((await list('masts'))[0].height, 30)

    const forced = await change('mast', { height: null, note: null }, '?force=true')
    assert.equal(forced.status, 200, JSON.stringify(forced.body))
    const [first] = await list('masts')
    assert.equal(first.name, 'main')
    assert.equal('height' in first, false)
    const back = await change('mast', { height: { type: 'integer' } })
    assert.equal(back.status, 200)
    assert.equal((await list('masts'))[0].height, null, 'the values are gone for good')
  })

  test('content-model 14: a rename keeps values, filters and what was saved before', async () => {
    await define('deck', {
      label: { type: 'string' },
      text: { type: 'richtext' },
      size: { type: 'decimal' },
    })
    await save('decks', {
      label: 'upper',
      text: { value: '<p>x</p>', format: 'full_html' },
      size: 12.5,
    })
    const renamed = await change('deck', {
      title: { type: 'string', renamedFrom: 'label' },
      area: { type: 'decimal', renamedFrom: 'size' },
    })
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
    assert.deepEqual(Object.keys(renamed.body.data.attributes), ['title', 'text', 'area'])
    const [deck] = await list('decks', '?title=upper&sort=area')
    assert.deepEqual([deck.title, deck.text, deck.area], ['upper', '<p>x</p>', 12.5])
    assert.equal('label' in deck, false)
    assert.equal((await call('GET', '/api/v1/decks?sort=label')).status, 400)
    const updated = await data('PATCH', `/api/v1/decks/${deck.id}`, { body: { title: 'lower' } })
    assert.equal(updated.title, 'lower')
  })

  test('content-model 14: conversions that keep every value need no force', async () => {
    await define('bale', {
      weight: { type: 'integer' },
      mark: { type: 'string' },
      many: { type: 'integer' },
      ratio: { type: 'integer' },
      seen: { type: 'datetime' },
      ok: { type: 'boolean' },
      grade: { type: 'string' },
      words: { type: 'tags' },
    })
    const at = '2026-01-02T03:04:05.678Z'
    await save('bales', {
      weight: 7,
      mark: 'Ä1',
      many: 9,
      ratio: 3,
      seen: at,
      ok: true,
      grade: 'b',
      words: ['x', 'y'],
    })
    await save('bales', { weight: -2, mark: null, many: null, ratio: 4, ok: false, grade: 'a' })
    const changed = await change('bale', {
      weight: { type: 'decimal', scale: 3 },
      mark: { type: 'richtext' },
      many: { type: 'biginteger' },
      ratio: { type: 'float' },
      seen: { type: 'string' },
      ok: { type: 'text' },
      grade: { type: 'enumeration', enum: ['a', 'b'] },
      words: { type: 'string' },
    })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const [first, second] = await list('bales')
    const pick = ({
      weight,
      mark,
      many,
      ratio,
      seen,
      ok,
      grade,
      words,
    }: Record<string, unknown>) => [weight, mark, many, ratio, seen, ok, grade, words]
    assert.deepEqual(pick(first), [7, 'Ä1', '9', 3, at, 'true', 'b', 'x, y'])
    assert.deepEqual(pick(second), [-2, null, null, 4, null, 'false', 'a', null])
    const filtered = await list('bales', '?filters[weight][$gt]=6.5&filters[mark][$containsi]=ä')
    assert.equal(filtered.length, 1)
    assert.deepEqual(
      (await list('bales', '?sort=ratio&order=desc')).map(({ id }: { id: number }) => id),
      [second.id, first.id],
    )
    await data('PATCH', `/api/v1/bales/${first.id}`, { body: { weight: 7.125 } })
    assert.equal((await list('bales'))[0].weight, 7.125)
  })

  test('content-model 14: values that do not fit are refused, and dropped with force', async () => {
    await define('tag', { size: { type: 'string' } })
    for (const size of ['5', 'five', '12']) await save('tags', { size })
    const toEnum = await change('tag', { size: { type: 'enumeration', enum: ['5', '12'] } })
    assert.equal(toEnum.status, 409)
    assert.deepEqual(summary(toEnum.body.error.changes), [['size', 'change', 3, true]])
    const toInteger = await change('tag', { size: { type: 'integer' } })
    assert.equal(toInteger.body.error.code, 'would_lose_data')
    assert.equal((await list('tags'))[1].size, 'five')
    const forced = await change('tag', { size: { type: 'integer' } }, '?force=true')
    assert.equal(forced.status, 200, JSON.stringify(forced.body))
    assert.deepEqual(
      (await list('tags')).map(({ size }: { size: number }) => size),
      [5, null, 12],
    )
  })

  test('content-model 14: an enumeration loses values that are stored only with force, also those of drafts', async () => {
    const grade = (...values: string[]) => ({ grade: { type: 'enumeration', enum: values } })
    await define('plum', grade('a', 'b', 'c', 'd'), { draftAndPublish: true })
    const live = await save('plums', { grade: 'b' })
    const drafted = await save('plums', { grade: 'a' })
    await data('PATCH', `/api/v1/plums/${drafted.id}?status=draft`, { body: { grade: 'c' } })
    // Nobody has it, and the order is no value.
    assert.equal((await change('plum', grade('c', 'b', 'a'))).status, 200)
    for (const [values, lossy] of [
      [['a', 'b'], true],
      [['a', 'c'], true],
      [['a', 'b', 'c', 'e'], false],
    ] as const) {
      const tried = await change('plum', grade(...values), '?dry_run=true')
      assert.equal(tried.body.data.changes[0].lossy, lossy, values.join())
      if (!lossy) continue
      const refused = await change('plum', grade(...values))
      assert.equal(refused.body.error.code, 'would_lose_data')
    }
    const graded = async (query = '') =>
      (await list('plums', query)).map((each: { grade: string }) => each.grade)
    assert.deepEqual(await graded('?status=all'), ['b', 'c'])
    assert.equal((await change('plum', grade('a', 'b'), '?force=true')).status, 200)
    assert.deepEqual(await graded(), ['b', 'a'])
    assert.deepEqual(await graded('?status=all'), ['b', null])
    assert.deepEqual(await graded('?status=all&filters[grade][$null]=true'), [null])
    const wider = await change('plum', grade('a', 'b', 'c'))
    assert.equal(wider.status, 200, JSON.stringify(wider.body))
    await data('PATCH', `/api/v1/plums/${live.id}`, { body: { grade: 'c' } })
    assert.deepEqual(await graded('?grade=c'), ['c'])
  })

  test('content-model 14: a type with entries is deleted only with force', async () => {
    await define('whale', { name: { type: 'string' } })
    await define('boat', { sees: { type: 'relation', relation: 'manyToMany', target: 'whale' } })
    const whale = await save('whales', { name: 'Moby' })
    const boat = await save('boats', { sees: [whale.id] })
    const refused = await call('DELETE', `${TYPES}/whale`)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.code, 'would_lose_data')
    assert.ok(refused.body.error.changes[0].entriesAffected === 1)
    assert.equal((await call('DELETE', `${TYPES}/whale?force=true`)).status, 204)
    const left = await data('GET', `/api/v1/boats/${boat.id}`)
    assert.equal('sees' in left, false)
    await define('whale', { name: { type: 'string' } })
    assert.deepEqual(await list('whales'), [])
    assert.equal((await save('whales', { name: 'Dick' })).id, 1)
  })

  test('a type with entries keeps its names and its kind', async () => {
    await define('dock', { name: { type: 'string' } })
    await save('docks', { name: 'a' })
    for (const body of [
      { pluralName: 'quays' },
      { singularName: 'quay' },
      { kind: 'singleType' },
    ]) {
      const refused = await call('PATCH', `${TYPES}/dock`, { body })
      assert.equal(refused.status, 409, JSON.stringify(body))
      assert.equal(refused.body.error.code, 'type_in_use')
    }
  })

  test('unique is added when no two entries clash, else the values are told', async () => {
    await define('flag', { code: { type: 'string' }, text: { type: 'text' } })
    for (const code of ['a', 'b', 'a', 'c', 'c']) await save('flags', { code, text: `${code}…` })
    const refused = await change('flag', { code: { type: 'string', unique: true } })
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.code, 'conflict')
    assert.deepEqual(refused.body.error.values, ['a', 'c'])
    const flags: { id: number; code: string }[] = await list('flags')
    for (const { id, code } of flags.slice(2)) {
      await data('PATCH', `/api/v1/flags/${id}`, { body: { code: `${code}${id}`, text: `t${id}` } })
    }
    const done = await change('flag', {
      code: { type: 'string', unique: true },
      text: { type: 'text', unique: true },
    })
    assert.equal(done.status, 200, JSON.stringify(done.body))
    assert.equal((await call('POST', '/api/v1/flags', { body: { code: 'b' } })).status, 409)
    assert.equal(
      (await call('POST', '/api/v1/flags', { body: { code: 'z', text: 'a…' } })).status,
      409,
    )
    assert.equal((await call('POST', '/api/v1/flags', { body: { code: 'z' } })).status, 201)
  })

  test('adding required fails no stored entry; it counts at the next publish', async () => {
    await define(
      'net',
      { name: { type: 'string' }, mesh: { type: 'integer' } },
      { draftAndPublish: true },
    )
    const net = await save('nets', { name: 'old' })
    const changed = await change('net', { mesh: { type: 'integer', required: true } })
    assert.equal(changed.status, 200)
    assert.equal((await data('GET', `/api/v1/nets/${net.id}`)).status, 'published')
    await data('POST', `/api/v1/nets/${net.id}/unpublish`)
    const refused = await call('POST', `/api/v1/nets/${net.id}/publish`)
    assert.equal(refused.status, 422)
    assert.equal(refused.body.error.details[0].field, 'mesh')
  })

  test('relations are narrowed only with force, and the first link stays', async () => {
    await define('sailor', { name: { type: 'string' } })
    await define('crew', {
      members: { type: 'relation', relation: 'manyToMany', target: 'sailor' },
    })
    const ids: number[] = []
    for (const name of ['a', 'b', 'c']) ids.push((await save('sailors', { name })).id)
    await save('crews', { members: [ids[1], ids[0]] })
    await save('crews', { members: [ids[2]] })
    const one = { type: 'relation', relation: 'manyToOne', target: 'sailor' }
    const refused = await change('crew', { members: one })
    assert.deepEqual(summary(refused.body.error.changes), [['members', 'change', 1, true]])
    assert.equal((await change('crew', { members: one }, '?force=true')).status, 200)
    assert.deepEqual(
      (await list('crews')).map(({ members_id }: { members_id: number }) => members_id),
      [ids[1], ids[2]],
    )
  })

  test('an inverse can be added to a relation that has links', async () => {
    await define('market', { name: { type: 'string' } })
    await define('stall', { market: { type: 'relation', relation: 'manyToOne', target: 'market' } })
    const market = await save('markets', { name: 'fish' })
    const stall = await save('stalls', { market: market.id })
    const added = await change('market', {
      stalls: { type: 'relation', relation: 'oneToMany', target: 'stall', mappedBy: 'market' },
    })
    assert.equal(added.status, 200, JSON.stringify(added.body))
    const stalls = await list(`markets/${market.id}/stalls`)
    assert.deepEqual(
      stalls.map(({ id }: { id: number }) => id),
      [stall.id],
    )
  })

  test('a type that becomes localised keeps its entries in the default locale, and back', async () => {
    await call('POST', '/api/v1/locales', { body: { code: 'de', name: 'Deutsch' } })
    await define('sign', { text: { type: 'string' } })
    const sign = await save('signs', { text: 'Halt' })
    await data('PATCH', `${TYPES}/sign`, { body: { localized: true } })
    const [now] = await list('signs')
    assert.deepEqual([now.id, now.locale, now.text], [sign.id, 'en', 'Halt'])
    await save('signs', { document_id: sign.document_id, locale: 'de', text: 'Halt!' })
    const refused = await call('PATCH', `${TYPES}/sign`, { body: { localized: false } })
    assert.equal(refused.body.error.code, 'would_lose_data')
    const forced = await call('PATCH', `${TYPES}/sign?force=true`, { body: { localized: false } })
    assert.equal(forced.status, 200, JSON.stringify(forced.body))
    const left = await list('signs')
    assert.deepEqual(
      left.map(({ text }: { text: string }) => text),
      ['Halt'],
    )
    assert.equal('locale' in left[0], false)
  })

  test('draft and publish is switched on without loss, off only with force when there are drafts', async () => {
    await define('log', { text: { type: 'string' } })
    const entry = await save('logs', { text: 'one' })
    await data('PATCH', `${TYPES}/log`, { body: { draftAndPublish: true } })
    const live = await data('GET', `/api/v1/logs/${entry.id}`)
    assert.equal(live.status, 'published')
    assert.equal(live.published_at, live.updated_at)
    await data('PATCH', `/api/v1/logs/${entry.id}?status=draft`, { body: { text: 'two' } })
    await save('logs', { text: 'three', status: 'draft' })
    assert.deepEqual((await list('logs')).length, 1)
    const refused = await call('PATCH', `${TYPES}/log`, { body: { draftAndPublish: false } })
    assert.equal(refused.body.error.code, 'would_lose_data')
    assert.equal(refused.body.error.changes[0].entriesAffected, 2)
    const byStatus = { draft: 1, changed: 1 }
    assert.deepEqual(refused.body.error.changes[0].entriesByStatus, byStatus)
    const dry = await call('PATCH', `${TYPES}/log?dry_run=true`, {
      body: { draftAndPublish: false },
    })
    assert.deepEqual(dry.body.data.changes[0].entriesByStatus, byStatus)
    const forced = await call('PATCH', `${TYPES}/log?force=true`, {
      body: { draftAndPublish: false },
    })
    assert.equal(forced.status, 200, JSON.stringify(forced.body))
    assert.deepEqual(
      (await list('logs')).map(({ text }: { text: string }) => text),
      ['one'],
      'what was not published is gone, and nothing becomes public by it',
    )
  })

  test('a locale with entries is removed only with force', async () => {
    await call('POST', '/api/v1/locales', { body: { code: 'it', name: 'Italiano' } })
    await define('song', { text: { type: 'string' } }, { localized: true })
    const song = await save('songs', { text: 'sea' })
    await save('songs', { document_id: song.document_id, locale: 'it', text: 'mare' })
    const refused = await call('DELETE', '/api/v1/locales/it')
    assert.equal(refused.status, 409)
    assert.equal((await call('DELETE', '/api/v1/locales/it?force=true')).status, 204)
    assert.deepEqual(
      (await list('songs', '?locale=all')).map(({ text }: { text: string }) => text),
      ['sea'],
    )
  })

  test('components keep their values when attributes are renamed, converted and added', async () => {
    await data('POST', '/api/v1/components', {
      body: { name: 'size', attributes: { w: { type: 'integer' }, unit: { type: 'string' } } },
    })
    await define('chest', { size: { type: 'component', component: 'default.size' } })
    const chest = await save('chests', { size: { w: 4, unit: 'cm' } })
    const patched = await call('PATCH', '/api/v1/components/default.size', {
      body: {
        attributes: {
          width: { type: 'decimal', renamedFrom: 'w' },
          unit: null,
          depth: { type: 'integer' },
        },
      },
    })
    assert.equal(patched.body.error?.code, 'would_lose_data')
    const forced = await call('PATCH', '/api/v1/components/default.size?force=true', {
      body: {
        attributes: {
          width: { type: 'decimal', renamedFrom: 'w' },
          unit: null,
          depth: { type: 'integer' },
        },
      },
    })
    assert.equal(forced.status, 200, JSON.stringify(forced.body))
    const read = await data('GET', `/api/v1/chests/${chest.id}`)
    const { id, ...size } = read.size
    assert.deepEqual(size, { width: 4, depth: null })
    assert.equal((await list('chests', '?filters[size][width][$gte]=4')).length, 1)
    const unit = (...values: string[]) => ({
      body: { attributes: { unit: { type: 'enumeration', enum: values } } },
    })
    const path = '/api/v1/components/default.size'
    await data('PATCH', path, unit('cm', 'mm'))
    const part = { size: { width: 4, unit: 'mm' } }
    await data('PATCH', `/api/v1/chests/${chest.id}`, { body: part })
    const narrowed = await call('PATCH', path, unit('cm'))
    assert.equal(narrowed.body.error?.code, 'would_lose_data')
    await data('PATCH', `${path}?force=true`, unit('cm'))
    const { size: left } = await data('GET', `/api/v1/chests/${chest.id}`)
    assert.deepEqual([left.width, left.unit], [4, null])
    await data('PATCH', path, { body: { attributes: { unit: null } } })
  })

  test('schema readers of the CMS see open types without a key and all with one', async () => {
    await define('closed', { text: { type: 'string' } }, { publicRead: false })
    await define('opened', {
      text: { type: 'string' },
      secret: { type: 'string', private: true },
      closed: { type: 'relation', relation: 'manyToOne', target: 'closed' },
      anchor: { type: 'relation', relation: 'manyToOne', target: 'anchor' },
    })
    const url = '/api/content-type-builder/content-types'
    const uids = (answer: { body: { data: { uid: string }[] } }) =>
      answer.body.data.map(({ uid }) => uid)
    const anonymous = await call('GET', url, { key: null })
    assert.equal(anonymous.status, 200, JSON.stringify(anonymous.body))
    assert.ok(uids(anonymous).includes('api::opened.opened'))
    assert.ok(!uids(anonymous).includes('api::closed.closed'))
    assert.ok(uids(await call('GET', url)).includes('api::closed.closed'))
    const one = await call('GET', `${url}/api::opened.opened`, { key: null })
    assert.deepEqual(one.body.data, {
      uid: 'api::opened.opened',
      apiID: 'opened',
      schema: {
        kind: 'collectionType',
        singularName: 'opened',
        pluralName: 'openeds',
        displayName: 'Opened',
        draftAndPublish: false,
        attributes: {
          text: { type: 'string' },
          anchor: { type: 'relation', relation: 'manyToOne', target: 'api::anchor.anchor' },
        },
      },
    })
    assert.equal((await call('GET', `${url}/api::closed.closed`, { key: null })).status, 401)
    assert.equal((await call('GET', `${url}/api::closed.closed`)).status, 200)
    assert.equal((await call('GET', `${url}/api::none.none`)).status, 404)
    const components = '/api/content-type-builder/components'
    assert.deepEqual((await call('GET', `${components}/default.size`, { key: null })).body.data, {
      uid: 'default.size',
      category: 'default',
      apiId: 'size',
      schema: {
        displayName: 'Size',
        attributes: { width: { type: 'decimal' }, depth: { type: 'integer' } },
      },
    })
    const shown = await call('GET', components, { key: null })
    assert.deepEqual(
      shown.body.data.map(({ uid }: { uid: string }) => uid),
      ['default.seo', 'default.size'],
    )
    assert.ok((await call('GET', components)).body.data.length > 2)
  })

  test('the events of a type can be subscribed to while it exists', async () => {
    const types = async () => {
      const all: { name: string }[] = await data('GET', '/webhooks/event-types?per_page=500')
      return all.map(({ name }) => name)
    }
    await define('order', { text: { type: 'string' } })
    await until(async () => (await types()).includes('content_order.published'))
    for (const action of ['created', 'updated', 'deleted', 'published', 'unpublished']) {
      assert.ok((await types()).includes(`anchor.${action}`), action)
    }
    assert.ok((await types()).includes('stock.updated'))
    await call('DELETE', `${TYPES}/order`)
    await until(async () => !(await types()).includes('content_order.published'))
  })
}

function summary(changes: readonly Change[]) {
  return changes.map(({ attribute, action, entriesAffected, lossy }) => [
    attribute,
    action,
    entriesAffected,
    lossy,
  ])
}
