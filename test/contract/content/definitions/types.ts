import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../support.ts'

const TYPES = '/api/v1/content-types'

/** Content model §3, §11: definitions without entries. */
export function typeTests({ call, data }: Caller): void {
  const create = (singularName: string, more: object = {}) =>
    call('POST', TYPES, { body: { singularName, pluralName: `${singularName}s`, ...more } })

  async function names(): Promise<string[]> {
    const types: { singularName: string }[] = await data('GET', TYPES)
    return types.map(({ singularName }) => singularName)
  }

  test('a type is created with its defaults and read by singular, plural and uid', async () => {
    const attributes = { name: { type: 'string', required: true }, tonnage: { type: 'integer' } }
    const made = await create('ship', { attributes })
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
      permissions: {
        public: ['read'],
        read: ['read'],
        write: ['read', 'create', 'update', 'delete', 'publish'],
      },
      displayField: 'name',
      entityType: 'node',
      bundle: 'ship',
      attributes,
    })
    for (const name of ['ship', 'ships', 'api::ship.ship']) {
      assert.deepEqual(await data('GET', `${TYPES}/${name}`), made.body.data)
    }
    assert.equal((await call('GET', `${TYPES}/boat`)).status, 404)
    const list = await call('GET', TYPES)
    assert.equal(list.body.meta.total, list.body.data.length)
    assert.equal(Date.parse(createdAt), Date.parse(updatedAt))
  })

  test('what was read can be sent back unchanged', async () => {
    const attributes = {
      title: { type: 'string', maxLength: 200, private: true, searchable: false },
      slug: { type: 'uid', targetField: 'title' },
      mood: { type: 'enumeration', enum: ['calm', 'rough'], default: 'calm' },
      depth: { type: 'decimal', scale: 3, min: 0, max: 11_000 },
      gallery: { type: 'media', multiple: true, allowedTypes: ['images'] },
      born: { type: 'date', localized: false },
    }
    await create('sea', { attributes, localized: true, draftAndPublish: true })
    const read = await data('GET', `${TYPES}/sea`)
    assert.deepEqual(read.attributes, attributes)
    const sent = await call('PUT', `${TYPES}/sea`, { body: read })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    assert.deepEqual({ ...sent.body.data, updatedAt: '' }, { ...read, updatedAt: '' })
  })

  test('the spelling of existing schema files says what is localised', async () => {
    const pluginOptions = { i18n: { localized: true } }
    const made = await create('harbour', {
      pluginOptions,
      attributes: {
        name: { type: 'string', pluginOptions },
        code: { type: 'string', pluginOptions: { i18n: { localized: false } } },
      },
    })
    assert.equal(made.body.data.localized, true)
    assert.deepEqual(made.body.data.attributes, {
      name: { type: 'string' },
      code: { type: 'string', localized: false },
    })
  })

  test('content-model 13: reserved names are refused with 409 and nothing is created', async () => {
    const before = await names()
    for (const name of ['v1', 'v27', 'upload', 'users', 'graphql', 'scrapers', 'locales', 'i18n']) {
      for (const body of [
        { singularName: name, pluralName: `many-${name}` },
        { singularName: `one-${name}`, pluralName: name },
      ]) {
        const refused = await call('POST', TYPES, { body })
        assert.equal(refused.status, 409, `${name} ${JSON.stringify(refused.body)}`)
        assert.equal(refused.body.error.code, 'conflict')
        assert.match(refused.body.error.message, new RegExp(name))
      }
    }
    for (const entityType of ['media', 'file', 'user', 'node_type']) {
      assert.equal((await create('reserved-entity', { entityType })).status, 409, entityType)
    }
    assert.deepEqual(await names(), before)
  })

  test('content-model 13: every static first segment of the API is reserved', async () => {
    const document = (await call('GET', '/api/v1/openapi.json')).body
    const segments = new Set<string>()
    for (const path of Object.keys(document.paths)) {
      const [, api, version, segment = ''] = path.split('/')
      if (api === 'api' && version === 'v1' && /^[a-z][a-z0-9-]*$/.test(segment)) {
        segments.add(segment)
      }
    }
    const types: { pluralName: string }[] = await data('GET', TYPES)
    for (const { pluralName } of types) segments.delete(pluralName)
    assert.ok(segments.size > 5)
    for (const segment of segments) {
      const body = { singularName: `${segment}-one`, pluralName: segment }
      assert.equal((await call('POST', TYPES, { body })).status, 409, segment)
    }
  })

  test('content-model 13: clashing names are refused with 409, also those of GraphQL', async () => {
    await create('blog-post')
    assert.equal((await create('leaf-input')).status, 201)
    assert.equal((await create('memo', { localized: true })).status, 201)
    const [part, ...parts] = ['ab-c', 'ab--c', 'ab-c-input'].map((name) => ({ body: { name } }))
    await data('POST', '/api/v1/components', part)
    for (const each of [...parts, { body: { category: 'default-ab', name: 'c' } }]) {
      assert.equal(
        (await call('POST', '/api/v1/components', each)).status,
        409,
        JSON.stringify(each),
      )
    }
    const numbered = await create('numbered', { attributes: { databaseId: { type: 'string' } } })
    assert.equal(numbered.status, 400)
    assert.equal(numbered.body.error.details[0].field, 'attributes.databaseId')
    const before = await names()
    const clashes = [
      { singularName: 'blog-post', pluralName: 'other-posts' },
      { singularName: 'blog-posts', pluralName: 'other-posts' },
      { singularName: 'other-post', pluralName: 'blog-post' },
      { singularName: 'blog--post', pluralName: 'others' },
      { singularName: 'blog-post-entity', pluralName: 'others' },
      { singularName: 'query', pluralName: 'queries' },
      { singularName: 'upload-file', pluralName: 'others' },
      { singularName: 'upload-file-entity', pluralName: 'others' },
      { singularName: 'other', pluralName: 'upload-files' },
      { singularName: 'file-info', pluralName: 'others' },
      { singularName: 'memo-localization', pluralName: 'others' },
      { singularName: 'component-default-ab-c', pluralName: 'others' },
      { singularName: 'leaf', pluralName: 'others' },
      { singularName: 'other', pluralName: 'others', entityType: 'node', bundle: 'blog-post' },
    ]
    for (const body of clashes) {
      const refused = await call('POST', TYPES, { body })
      assert.equal(refused.status, 409, JSON.stringify([body, refused.body]))
      assert.equal(refused.body.error.code, 'conflict')
    }
    assert.deepEqual(await names(), before)
  })

  test('content-model 13: malformed names are refused with 400 and their path', async () => {
    const before = await names()
    for (const name of ['Ship', '1ship', 'my_ship', '-ship', `a${'b'.repeat(50)}`, '', 'é']) {
      const refused = await call('POST', TYPES, { body: { singularName: name, pluralName: 'bs' } })
      assert.equal(refused.status, 400, name)
      assert.equal(refused.body.error.details[0].field, 'singularName')
    }
    const same = await call('POST', TYPES, { body: { singularName: 'crew', pluralName: 'crew' } })
    assert.equal(same.status, 400)
    assert.equal(same.body.error.details[0].field, 'pluralName')
    for (const entityType of ['No', 'a--b', '']) {
      assert.equal((await create('x-y', { entityType })).status, 400, entityType)
    }
    assert.deepEqual(await names(), before)
  })

  test('content-model 13: every fault of an attribute is told with its path', async () => {
    const before = await names()
    const refused = await create('wrong', {
      displayField: 'nothing',
      draftAndPublish: true,
      attributes: {
        '1st': { type: 'string' },
        id: { type: 'string' },
        status: { type: 'string' },
        a: { type: 'colour' },
        b: {},
        c: 'string',
        d: { type: 'dynamiczone', components: [] },
        e: { type: 'relation', relation: 'morphToMany' },
        f: { type: 'relation', relation: 'oneToOne', target: ['ship', 'sea'] },
        g: { type: 'string', length: 3 },
        h: { type: 'string', maxLength: 'ten' },
        i: { type: 'integer', min: 5, max: 4 },
        j: { type: 'enumeration' },
        k: { type: 'integer', default: 'many' },
        l: { type: 'relation', relation: 'manyToOne', target: 'ship', unique: true },
        m: { type: 'json', unique: true },
        n: { type: 'string', regex: '(' },
      },
    })
    assert.equal(refused.status, 400)
    const found = refused.body.error.details.map(({ field }: { field: string }) => field)
    const expected = [
      'attributes.1st',
      'attributes.a.type',
      'attributes.b.type',
      'attributes.c',
      'attributes.d.components',
      'attributes.e.relation',
      'attributes.f.relation',
      'attributes.g.length',
      'attributes.h.maxLength',
      'attributes.i.max',
      'attributes.j.enum',
      'attributes.k.default',
      'attributes.l.unique',
      'attributes.m.unique',
      'attributes.n.regex',
    ]
    for (const field of expected) assert.ok(found.includes(field), `${field} of ${found}`)
    const messages = JSON.stringify(refused.body.error.details)
    assert.match(messages, /polymorphic/)
    assert.deepEqual(await names(), before)
  })

  test('content-model 13: names between attributes, and what they refer to, are checked', async () => {
    const refused = await create('wrong', {
      displayField: 'nothing',
      draftAndPublish: true,
      attributes: {
        id: { type: 'string' },
        status: { type: 'string' },
        title: { type: 'string' },
        Title: { type: 'string' },
        owner: { type: 'relation', relation: 'manyToOne', target: 'ship' },
        owner_id: { type: 'integer' },
        ownerId: { type: 'integer' },
        cover: { type: 'media' },
        cover_id: { type: 'string' },
        coverId: { type: 'string' },
        photos: { type: 'media', multiple: true },
        photos_id: { type: 'string' },
        entry_id: { type: 'integer' },
        document: { type: 'relation', relation: 'manyToOne', target: 'ship' },
        external: { type: 'media' },
        slug: { type: 'uid', targetField: 'name' },
        lost: { type: 'relation', relation: 'manyToOne', target: 'atlantis' },
        part: { type: 'component', component: 'default.none' },
      },
    })
    assert.equal(refused.status, 400, JSON.stringify(refused.body))
    const found = refused.body.error.details.map(({ field }: { field: string }) => field)
    for (const field of [
      'attributes.id',
      'attributes.status',
      'attributes.Title',
      'attributes.owner_id',
      'attributes.ownerId',
      'attributes.cover_id',
      'attributes.coverId',
      'attributes.photos_id',
      'attributes.entry_id',
      'attributes.document',
      'attributes.external',
      'attributes.slug.targetField',
      'attributes.lost.target',
      'attributes.part.component',
      'displayField',
    ]) {
      assert.ok(found.includes(field), `${field} of ${found}`)
    }
    assert.equal(
      (await create('status-free', { attributes: { status: { type: 'string' } } })).status,
      201,
    )
  })

  test('content-model 13: an end that a relation adds takes no name by which an id is shown', async () => {
    const attributes = { photo: { type: 'media' }, home_id: { type: 'string' } }
    assert.equal((await create('lodger', { attributes })).status, 201)
    for (const targetAttribute of ['home', 'photo_id']) {
      const crew = { type: 'relation', relation: 'manyToMany', target: 'lodger', targetAttribute }
      const refused = await create('crew', { attributes: { crew } })
      assert.equal(refused.status, 400, targetAttribute)
      assert.match(JSON.stringify(refused.body), /no free name there/)
    }
    const cabin = {
      type: 'relation',
      relation: 'oneToOne',
      target: 'lodger',
      targetAttribute: 'bed',
    }
    assert.equal((await create('cabin', { attributes: { cabin } })).status, 201)
    const id = { bed_id: { type: 'string' } }
    const patched = await call('PATCH', `${TYPES}/lodger`, { body: { attributes: id } })
    assert.equal(patched.status, 400)
    assert.match(JSON.stringify(patched.body), /is how the id of bed is shown/)
  })

  test('unknown members and members of the server are refused', async () => {
    const unknown = await create('odd', { colour: 'blue' })
    assert.equal(unknown.status, 400)
    assert.equal(unknown.body.error.code, 'unknown_field')
    const readOnly = await create('odd', { uuid: 'mine' })
    assert.equal(readOnly.body.error.code, 'read_only_field')
    const put = await call('PUT', `${TYPES}/ship`, {
      body: { singularName: 'ship', pluralName: 'ships', uid: 'api::boat.boat' },
    })
    assert.equal(put.body.error.code, 'read_only_field')
  })

  test('rest-conventions 14: a misspelt option of a definition or language is named, or refused', async () => {
    const body = { attributes: { keel: { type: 'string' } } }
    const misspelt = (path: string) => `${path}?dryrun=true`
    await data('POST', TYPES, { body: { singularName: 'yawl', pluralName: 'yawls' } })
    const strict = { body, headers: { prefer: 'handling=strict' } }
    const refused = await call('PATCH', misspelt(`${TYPES}/yawl`), strict)
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /dryrun/)
    assert.deepEqual((await data('GET', `${TYPES}/yawl`)).attributes, {}, 'nothing was changed')
    const tried = await call('PATCH', `${TYPES}/yawl?dry_run=true`, strict)
    assert.equal(tried.status, 200)
    assert.equal(tried.headers.get('x-ignored-parameters'), null)
    for (const path of [TYPES, `${TYPES}/yawl`, '/api/v1/components', '/api/v1/locales']) {
      const listed = await call('GET', misspelt(path))
      assert.equal(listed.status, 200)
      assert.equal(listed.headers.get('x-ignored-parameters'), 'dryrun', path)
    }
  })

  test('a batch is created whole, also when its types refer to each other', async () => {
    const made = await call('POST', `${TYPES}/batch`, {
      body: {
        components: [{ name: 'seo', attributes: { title: { type: 'string' } } }],
        contentTypes: [
          {
            singularName: 'captain',
            pluralName: 'captains',
            attributes: {
              name: { type: 'string' },
              yachts: {
                type: 'relation',
                relation: 'oneToMany',
                target: 'yacht',
                mappedBy: 'captain',
              },
            },
          },
          {
            singularName: 'yacht',
            pluralName: 'yachts',
            attributes: {
              captain: {
                type: 'relation',
                relation: 'manyToOne',
                target: 'api::captain.captain',
                inversedBy: 'yachts',
              },
              seo: { type: 'component', component: 'default.seo' },
            },
          },
        ],
      },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.deepEqual(
      made.body.data.contentTypes.map(({ uid }: { uid: string }) => uid),
      ['api::captain.captain', 'api::yacht.yacht'],
    )
    const yacht = await data('GET', `${TYPES}/yacht`)
    assert.deepEqual(yacht.attributes.captain, {
      type: 'relation',
      relation: 'manyToOne',
      target: 'captain',
      inversedBy: 'yachts',
    })

    const before = await names()
    const refused = await call('POST', `${TYPES}/batch`, {
      body: {
        contentTypes: [
          { singularName: 'good', pluralName: 'goods' },
          { singularName: 'bad', pluralName: 'bads', attributes: { x: { type: 'what' } } },
        ],
      },
    })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.error.details[0].field, 'contentTypes.1.attributes.x.type')
    const clash = await call('POST', `${TYPES}/batch`, {
      body: {
        contentTypes: [
          { singularName: 'good', pluralName: 'goods' },
          { singularName: 'better', pluralName: 'goods' },
        ],
      },
    })
    assert.equal(clash.status, 409)
    assert.deepEqual(await names(), before)
  })

  test('a PATCH merges: attributes are added, replaced in place and removed by null', async () => {
    await create('crane', {
      attributes: { a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'text' } },
    })
    const patched = await data('PATCH', `${TYPES}/crane`, {
      body: {
        displayName: 'Harbour crane',
        attributes: { a: { type: 'string', required: true }, b: null, d: { type: 'boolean' } },
      },
    })
    assert.equal(patched.displayName, 'Harbour crane')
    assert.deepEqual(Object.keys(patched.attributes), ['a', 'c', 'd'])
    assert.equal(patched.attributes.a.required, true)
    const renamed = await data('PATCH', `${TYPES}/crane`, {
      body: { attributes: { name: { type: 'string', renamedFrom: 'a' } } },
    })
    assert.deepEqual(Object.keys(renamed.attributes), ['name', 'c', 'd'])
    assert.equal(renamed.displayField, 'name')
    assert.equal(
      (
        await call('PATCH', `${TYPES}/crane`, {
          body: { attributes: { x: { type: 'string', renamedFrom: 'nobody' } } },
        })
      ).body.error.details[0].field,
      'attributes.x.renamedFrom',
    )
  })

  test('a type without entries may be renamed; relations follow it', async () => {
    await create('quay')
    await create('berth', {
      attributes: { quay: { type: 'relation', relation: 'manyToOne', target: 'quay' } },
    })
    const renamed = await call('PATCH', `${TYPES}/quay`, {
      body: { singularName: 'pier', pluralName: 'piers' },
    })
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
    assert.equal((await call('GET', `${TYPES}/quay`)).status, 404)
    const berth = await data('GET', `${TYPES}/berth`)
    assert.equal(berth.attributes.quay.target, 'pier')
  })

  test('a deleted type is gone, its name is free, and relations to it go with it', async () => {
    await create('tide')
    await create('gauge', {
      attributes: {
        tide: { type: 'relation', relation: 'oneToOne', target: 'tide', targetAttribute: 'gauge' },
        name: { type: 'string' },
      },
    })
    assert.deepEqual(Object.keys((await data('GET', `${TYPES}/tide`)).attributes), ['gauge'])
    const dry = await data('DELETE', `${TYPES}/tide?dry_run=true`)
    assert.deepEqual(
      dry.changes.map((each: { contentType: string; attribute: string; lossy: boolean }) => [
        each.contentType,
        each.attribute,
        each.lossy,
      ]),
      [
        ['tide', null, false],
        ['tide', 'gauge', false],
        ['gauge', 'tide', false],
      ],
    )
    assert.equal((await call('GET', `${TYPES}/tide`)).status, 200)
    const gone = await call('DELETE', `${TYPES}/tide`)
    assert.equal(gone.status, 204)
    assert.equal((await call('GET', `${TYPES}/tide`)).status, 404)
    assert.equal((await call('DELETE', `${TYPES}/tide`)).status, 404)
    assert.deepEqual(Object.keys((await data('GET', `${TYPES}/gauge`)).attributes), ['name'])
    assert.equal((await create('tide')).status, 201)
  })

  test('only admins define types, and nobody without a key sees them', async () => {
    const plan = await data('GET', '/api/v1/plans')
    const key = await data('POST', '/api/v1/keys', {
      body: { plan_id: plan[0].id, access: 'write' },
    })
    const writer = key.key ?? key.raw_key
    for (const [method, path] of [
      ['GET', TYPES],
      ['POST', TYPES],
      ['DELETE', `${TYPES}/ship`],
      ['GET', '/api/v1/components'],
      ['GET', '/api/v1/locales'],
    ] as const) {
      const sent = method === 'POST' ? { body: { singularName: 'q', pluralName: 'qs' } } : {}
      assert.equal((await call(method, path, { ...sent, key: writer })).status, 403, path)
      assert.equal((await call(method, path, { ...sent, key: null })).status, 401, path)
    }
  })

  test('the default of publicRead is a setting', async () => {
    await data('PATCH', '/api/v1/settings/content', { body: { public_read_default: false } })
    const closed = await create('closed-type')
    assert.equal(closed.body.data.publicRead, false)
    await data('PATCH', '/api/v1/settings/content', { body: { public_read_default: null } })
    const open = await create('open-type')
    assert.equal(open.body.data.publicRead, true)
  })
}
