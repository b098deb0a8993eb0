import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../support.ts'

const TYPES = '/api/v1/content-types'
const COMPONENTS = '/api/v1/components'
const LOCALES = '/api/v1/locales'

/** Content model §3.1, §4, §7: what types are made of. */
export function componentTests({ call, data }: Caller): void {
  const create = (singularName: string, attributes: object = {}) =>
    call('POST', TYPES, { body: { singularName, pluralName: `${singularName}s`, attributes } })
  const relation = (kind: string, target: string, more: object = {}) => ({
    type: 'relation',
    relation: kind,
    target,
    ...more,
  })
  const attributesOf = async (name: string) => (await data('GET', `${TYPES}/${name}`)).attributes

  test('a component is made, read, changed and removed', async () => {
    const made = await call('POST', COMPONENTS, {
      body: { category: 'shared', name: 'seo', attributes: { title: { type: 'string' } } },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.headers.get('location'), '/api/v1/components/shared.seo')
    assert.deepEqual(made.body.data, {
      uid: 'shared.seo',
      category: 'shared',
      name: 'seo',
      displayName: 'Seo',
      description: '',
      attributes: { title: { type: 'string' } },
    })
    assert.deepEqual(await data('GET', `${COMPONENTS}/shared.seo`), made.body.data)
    const patched = await data('PATCH', `${COMPONENTS}/shared.seo`, {
      body: { attributes: { text: { type: 'text' } } },
    })
    assert.deepEqual(Object.keys(patched.attributes), ['title', 'text'])
    const put = await call('PUT', `${COMPONENTS}/shared.seo`, {
      body: { name: 'seo', displayName: 'Search', attributes: { text: { type: 'text' } } },
    })
    assert.equal(put.status, 200, JSON.stringify(put.body))
    assert.equal(put.body.data.uid, 'shared.seo')
    const dry = await data('PATCH', `${COMPONENTS}/shared.seo?dry_run=true`, {
      body: { attributes: { text: null, more: { type: 'integer' } } },
    })
    assert.deepEqual(dry.changes, [
      {
        attribute: 'more',
        component: 'shared.seo',
        action: 'add',
        entriesAffected: 0,
        lossy: false,
      },
      {
        attribute: 'text',
        component: 'shared.seo',
        action: 'remove',
        entriesAffected: 0,
        lossy: false,
      },
    ])
    assert.deepEqual(Object.keys((await data('GET', `${COMPONENTS}/shared.seo`)).attributes), [
      'text',
    ])
    assert.equal((await call('DELETE', `${COMPONENTS}/shared.seo`)).status, 204)
    assert.equal((await call('GET', `${COMPONENTS}/shared.seo`)).status, 404)
  })

  test('a component has the category default, and its faults are told', async () => {
    const made = await data('POST', COMPONENTS, { body: { name: 'box' } })
    assert.equal(made.uid, 'default.box')
    assert.equal((await call('POST', COMPONENTS, { body: { name: 'box' } })).status, 409)
    const refused = await call('POST', COMPONENTS, {
      body: {
        name: 'Bad',
        attributes: {
          a: { type: 'string', unique: true },
          b: { type: 'integer', unversioned: true },
          c: relation('manyToOne', 'nothing'),
          d: { type: 'component', component: 'default.bad' },
        },
      },
    })
    const found = refused.body.error.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(found, ['name'])
    const deeper = await call('POST', COMPONENTS, {
      body: {
        name: 'bad',
        attributes: {
          a: { type: 'string', unique: true },
          b: { type: 'integer', unversioned: true },
          c: relation('manyToOne', 'nothing'),
          d: { type: 'component', component: 'default.bad' },
        },
      },
    })
    const fields = deeper.body.error.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields.toSorted(), [
      'attributes.a.unique',
      'attributes.b.unversioned',
      'attributes.c.target',
      'attributes.d.component',
    ])
  })

  test('a component in use is removed only with force, and its attributes go with it', async () => {
    await data('POST', COMPONENTS, {
      body: { name: 'crate', attributes: { kg: { type: 'float' } } },
    })
    await create('hold', {
      crate: { type: 'component', component: 'default.crate', repeatable: true, min: 1, max: 9 },
      name: { type: 'string' },
    })
    const refused = await call('DELETE', `${COMPONENTS}/default.crate`)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.code, 'would_lose_data')
    assert.ok(
      refused.body.error.changes.some((each: { attribute: string }) => each.attribute === 'crate'),
    )
    assert.equal((await call('DELETE', `${COMPONENTS}/default.crate?force=true`)).status, 204)
    assert.deepEqual(Object.keys(await attributesOf('hold')), ['name'])
  })

  test('content-model 13: polymorphic relations and unknown targets are refused', async () => {
    const morph = await create('mixed', { any: relation('manyToMorph', 'x') })
    assert.equal(morph.status, 400)
    assert.equal(morph.body.error.details[0].code, 'polymorphic')
    assert.match(morph.body.error.message, /polymorphic/)
    assert.equal((await create('mixed', { any: relation('manyToOne', 'x') })).status, 400)
    assert.equal((await call('GET', `${TYPES}/mixed`)).status, 404)
  })

  test('targetAttribute and inversedBy add the other end with the inverse cardinality', async () => {
    await create('port')
    await create('cargo', {
      home: relation('manyToOne', 'port', { inversedBy: 'cargos' }),
      stops: relation('manyToMany', 'ports', { targetAttribute: 'visits' }),
      flag: relation('oneToOne', 'api::port.port', { targetAttribute: 'flagged' }),
      seen: relation('oneToMany', 'port', { targetAttribute: 'seenBy' }),
      oneWay: relation('oneToMany', 'port'),
    })
    assert.deepEqual(await attributesOf('port'), {
      cargos: relation('oneToMany', 'cargo', { mappedBy: 'home' }),
      visits: relation('manyToMany', 'cargo', { mappedBy: 'stops' }),
      flagged: relation('oneToOne', 'cargo', { mappedBy: 'flag' }),
      seenBy: relation('manyToOne', 'cargo', { inversedBy: 'seen' }),
    })
    assert.deepEqual(await attributesOf('cargo'), {
      home: relation('manyToOne', 'port', { inversedBy: 'cargos' }),
      stops: relation('manyToMany', 'port', { inversedBy: 'visits' }),
      flag: relation('oneToOne', 'port', { inversedBy: 'flagged' }),
      seen: relation('oneToMany', 'port', { mappedBy: 'seenBy' }),
      oneWay: relation('oneToMany', 'port'),
    })
  })

  test('an end that goes takes the other with it when the links were its own', async () => {
    await create('lock')
    await create('canal', {
      locks: relation('manyToMany', 'lock', { targetAttribute: 'canals' }),
      first: relation('manyToOne', 'lock', { targetAttribute: 'firstOf' }),
    })
    await data('PATCH', `${TYPES}/canal`, { body: { attributes: { first: null } } })
    assert.deepEqual(Object.keys(await attributesOf('lock')), ['canals'])
    await data('PATCH', `${TYPES}/lock`, { body: { attributes: { canals: null } } })
    assert.deepEqual(await attributesOf('canal'), { locks: relation('manyToMany', 'lock') })
    const renamed = await data('PATCH', `${TYPES}/canal`, {
      body: {
        attributes: {
          gates: relation('manyToMany', 'lock', { renamedFrom: 'locks', inversedBy: 'canals' }),
        },
      },
    })
    assert.deepEqual(
      renamed.attributes.gates,
      relation('manyToMany', 'lock', { inversedBy: 'canals' }),
    )
    await data('PATCH', `${TYPES}/canal`, {
      body: {
        attributes: {
          doors: relation('manyToMany', 'lock', { renamedFrom: 'gates', inversedBy: 'canals' }),
        },
      },
    })
    assert.deepEqual(
      (await attributesOf('lock')).canals,
      relation('manyToMany', 'canal', { mappedBy: 'doors' }),
    )
  })

  test('content model §4, §11: both ends in one type follow each other, too', async () => {
    await create('reef', {
      name: { type: 'string' },
      above: relation('manyToOne', 'reef', { inversedBy: 'below' }),
      below: relation('oneToMany', 'reef', { mappedBy: 'above' }),
      near: relation('manyToMany', 'reef', { targetAttribute: 'nearOf' }),
    })
    const top = await data('POST', '/api/v1/reefs', { body: { name: 'Top' } })
    const low = await data('POST', '/api/v1/reefs', { body: { name: 'Low', above_id: top.id } })
    const change = (attributes: object, query = '') =>
      call('PATCH', `${TYPES}/reef${query}`, { body: { attributes } })
    const over = relation('manyToOne', 'reef', { inversedBy: 'below' })
    const renamed = await change({ over: { ...over, renamedFrom: 'above' } })
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
    const { below } = await attributesOf('reef')
    assert.deepEqual(below, relation('oneToMany', 'reef', { mappedBy: 'over' }))
    assert.equal((await data('GET', `/api/v1/reefs/${low.id}`)).over_id, top.id)
    assert.equal((await change({ nearOf: null })).status, 200)
    assert.deepEqual((await attributesOf('reef')).near, relation('manyToMany', 'reef'))
    assert.equal((await change({ below: null })).status, 200)
    assert.deepEqual((await attributesOf('reef')).over, relation('manyToOne', 'reef'))
    assert.equal((await data('GET', `/api/v1/reefs/${low.id}`)).over_id, top.id)
    await change({ over: relation('manyToOne', 'reef', { targetAttribute: 'under' }) })
    assert.equal((await change({ over: null })).status, 409)
    assert.equal((await change({ over: null }, '?force=true')).status, 200)
    assert.deepEqual(Object.keys(await attributesOf('reef')), ['name', 'near'])
  })

  test('ends that do not fit each other are refused', async () => {
    await create('tug', { name: { type: 'string' } })
    await create('rope', { tug: relation('manyToOne', 'tug', { inversedBy: 'ropes' }) })
    const cases = {
      notRelation: relation('manyToOne', 'tug', { inversedBy: 'name' }),
      taken: relation('manyToOne', 'tug', { inversedBy: 'ropes' }),
      reserved: relation('manyToOne', 'tug', { inversedBy: 'id' }),
      malformed: relation('manyToOne', 'tug', { inversedBy: 'no name' }),
      both: relation('manyToOne', 'tug', { inversedBy: 'x', mappedBy: 'y' }),
      itself: relation('manyToMany', 'chain', { inversedBy: 'itself' }),
    }
    for (const [name, attribute] of Object.entries(cases)) {
      const refused = await create('chain', { [name]: attribute })
      assert.equal(refused.status, 400, `${name} ${JSON.stringify(refused.body)}`)
      assert.match(refused.body.error.details[0].field, new RegExp(`attributes.${name}`))
    }
    assert.deepEqual(Object.keys(await attributesOf('tug')), ['name', 'ropes'])
  })

  test('a type may relate to itself', async () => {
    await create('island', {
      parentIsland: relation('manyToOne', 'island', { inversedBy: 'islets' }),
      near: relation('manyToMany', 'island', { inversedBy: 'nearTo' }),
    })
    assert.deepEqual(await attributesOf('island'), {
      parentIsland: relation('manyToOne', 'island', { inversedBy: 'islets' }),
      near: relation('manyToMany', 'island', { inversedBy: 'nearTo' }),
      islets: relation('oneToMany', 'island', { mappedBy: 'parentIsland' }),
      nearTo: relation('manyToMany', 'island', { mappedBy: 'near' }),
    })
  })

  test('the first start has en as the default locale', async () => {
    const [first, ...more] = await data('GET', LOCALES)
    const { id, createdAt, updatedAt, ...locale } = first
    assert.deepEqual(locale, { code: 'en', name: 'English', isDefault: true, fallback: null })
    assert.equal(id, 1)
    assert.deepEqual(more, [])
    assert.equal(createdAt, updatedAt)
  })

  test('locales are added, changed and removed; codes are compared without regard to case', async () => {
    const german = await call('POST', LOCALES, {
      body: { code: 'de-AT', name: 'Deutsch', fallback: 'EN' },
    })
    assert.equal(german.status, 201, JSON.stringify(german.body))
    assert.equal(german.headers.get('location'), '/api/v1/locales/de-AT')
    assert.equal(german.body.data.fallback, 'en')
    assert.equal((await data('GET', `${LOCALES}/DE-at`)).code, 'de-AT')
    const again = await call('POST', LOCALES, { body: { code: 'de-AT', name: 'Noch einmal' } })
    assert.equal(again.status, 409)
    for (const code of ['german', 'DE', 'd', 'de_AT', 'de-at', 'zh-hant']) {
      const refused = await call('POST', LOCALES, { body: { code, name: 'x' } })
      assert.equal(refused.status, 400, code)
      assert.equal(refused.body.error.details[0].field, 'code')
    }
    // As in `?locale=all`, which a DELETE takes too.
    const every = await call('POST', LOCALES, { body: { code: 'all', name: 'Allar' } })
    assert.equal(every.status, 400)
    assert.match(every.body.error.details[0].message, /must not be all, .* every language/)
    assert.equal((await call('GET', `${LOCALES}/all`)).status, 404)
    assert.equal(
      (await data('POST', LOCALES, { body: { code: 'zh-Hant-TW', name: '中文' } })).name,
      '中文',
    )
    const renamed = await data('PATCH', `${LOCALES}/de-at`, { body: { name: 'Österreichisch' } })
    assert.deepEqual([renamed.name, renamed.fallback], ['Österreichisch', 'en'])
    assert.equal((await call('PATCH', `${LOCALES}/xx`, { body: { name: 'x' } })).status, 404)
    const code = await call('PATCH', `${LOCALES}/de-AT`, { body: { code: 'de' } })
    assert.equal(code.body.error.code, 'read_only_field')
  })

  test('chains of fallbacks may not loop, and a fallback must exist', async () => {
    await data('POST', LOCALES, { body: { code: 'fr', name: 'Français', fallback: 'de-AT' } })
    const loop = await call('PATCH', `${LOCALES}/en`, { body: { fallback: 'fr' } })
    assert.equal(loop.status, 400)
    assert.equal(loop.body.error.details[0].field, 'fallback')
    assert.equal((await call('PATCH', `${LOCALES}/fr`, { body: { fallback: 'fr' } })).status, 400)
    assert.equal((await call('PATCH', `${LOCALES}/fr`, { body: { fallback: 'it' } })).status, 400)
    assert.equal((await data('GET', `${LOCALES}/en`)).fallback, null)
  })

  test('there is always one default locale, and it cannot be removed', async () => {
    assert.equal((await call('DELETE', `${LOCALES}/en`)).status, 409)
    assert.equal((await call('DELETE', `${LOCALES}/en?force=true`)).status, 409)
    assert.equal((await call('PATCH', `${LOCALES}/en`, { body: { isDefault: false } })).status, 409)
    await data('PATCH', `${LOCALES}/fr`, { body: { isDefault: true } })
    const all: { code: string; isDefault: boolean }[] = await data('GET', LOCALES)
    assert.deepEqual(
      all.filter(({ isDefault }) => isDefault).map(({ code }) => code),
      ['fr'],
    )
    await data('PATCH', `${LOCALES}/en`, { body: { isDefault: true } })
    assert.equal((await call('DELETE', `${LOCALES}/de-AT`)).status, 204)
    assert.equal((await data('GET', `${LOCALES}/fr`)).fallback, null)
    assert.equal((await call('GET', `${LOCALES}/de-AT`)).status, 404)
  })
}
