import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '#test-kit'
import { contentServer } from './support.ts'

const TYPES = '/api/v1/content-types'

eachDatabase('content types', (kind) => {
  const { call, data } = contentServer(kind)

  test('a type is created with its defaults and read by singular, plural and uid', async () => {
    const made = await call('POST', TYPES, {
      body: {
        singularName: 'ship',
        pluralName: 'ships',
        attributes: { name: { type: 'string', required: true }, tonnage: { type: 'integer' } },
      },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.headers.get('location'), '/api/v1/content-types/ship')
    const { uuid, createdAt, updatedAt, ...ship } = made.body.data
    assert.match(uuid, /^[0-9a-f-]{36}$/)
    assert.deepEqual(ship, {
      uid: 'api::ship.ship',
      kind: 'collectionType',
      singularName: 'ship',
      pluralName: 'ships',
      displayName: 'Ship',
      description: '',
      draftAndPublish: false,
      localized: false,
      publicRead: true,
      displayField: 'name',
      entityType: 'node',
      bundle: 'ship',
      attributes: { name: { type: 'string', required: true }, tonnage: { type: 'integer' } },
    })
    for (const name of ['ship', 'ships', 'api::ship.ship']) {
      assert.deepEqual(await data('GET', `${TYPES}/${name}`), made.body.data)
    }
    assert.equal((await call('GET', `${TYPES}/boat`)).status, 404)
    const list = await call('GET', TYPES)
    assert.deepEqual(list.body.meta, { total: 1 })
    assert.deepEqual(list.body.data, [made.body.data])
    assert.equal(Date.parse(createdAt), Date.parse(updatedAt))
  })
})
