import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { until } from '#test-kit'
import { storeSuite } from './support.ts'

const TYPES = '/api/v1/content-types'
const DELIVERED = '/cms/delivery/api/v2/content'
const JSONAPI = { 'content-type': 'application/vnd.api+json' }
const USUAL = {
  public: ['read'],
  read: ['read'],
  write: ['read', 'create', 'update', 'delete', 'publish'],
}

type Level = 'public' | 'read' | 'write' | 'admin'

/** Who may do what with entries of a type, the same in every dialect (content model §9). */
export const permissions = storeSuite('permissions of a type', (content) => {
  const { call, data } = content
  const keys: Record<Level, string | null | undefined> = {
    ...{ public: null, read: '', write: '', admin: undefined },
  }
  const as = (level: Level, sent: object = {}) => {
    const key = keys[level]
    return key === undefined ? sent : { ...sent, key }
  }
  const define = (name: string, members: object, attributes: object = {}) =>
    data('POST', TYPES, {
      body: {
        ...{ singularName: name, pluralName: `${name}s`, ...members },
        attributes: { title: { type: 'string' }, ...attributes },
      },
    })
  const setLimit = (limit: number | null) =>
    call('PATCH', '/api/v1/settings/limits', { body: { anonymous_writes_per_minute: limit } })

  before(async () => {
    const figures = { name: 'Permitted', requests_per_month: -1, requests_per_minute: -1 }
    const plan = await data('POST', '/api/v1/plans', { body: figures })
    for (const access of ['read', 'write'] as const) {
      const body = { plan_id: plan.id, access }
      keys[access] = (await data('POST', '/api/v1/keys', { body })).key
    }
  })

  test('content-model 9: a definition shows its permissions, publicRead is a short form', async () => {
    const usual = await define('usual', {})
    assert.deepEqual(usual.permissions, USUAL)
    const closed = await define('closed', { publicRead: false })
    assert.deepEqual(closed.permissions, { ...USUAL, public: [] })
    const form = await define('form', { permissions: { public: ['update', 'create'] } })
    assert.deepEqual(form.permissions, { ...USUAL, public: ['create', 'update'] })
    assert.equal(form.publicRead, false)
    const opened = await data('PATCH', `${TYPES}/form`, { body: { publicRead: true } })
    assert.deepEqual(opened.permissions.public, ['read', 'create', 'update'])
    const narrowed = await data('PATCH', `${TYPES}/form`, {
      body: { permissions: { write: ['read'] } },
    })
    assert.deepEqual(narrowed.permissions, { ...opened.permissions, write: ['read'] })
    const again = await data('PUT', `${TYPES}/form`, { body: narrowed })
    assert.deepEqual(again.permissions, narrowed.permissions)
  })

  test('content-model 9: wrong permissions are refused with their place, a dry run changes nothing', async () => {
    for (const [body, path] of [
      [{ permissions: { public: ['look'] } }, /public/],
      [{ permissions: { public: 'read' } }, /public/],
      [{ permissions: { admin: [] } }, /admin/],
      [{ permissions: { public: [] }, publicRead: true }, /publicRead/],
    ] as const) {
      const { status, body: answer } = await call('PATCH', `${TYPES}/usual`, { body })
      assert.ok(status === 400 || status === 422, `${status} ${JSON.stringify(body)}`)
      assert.match(JSON.stringify(answer), path)
    }
    await data('POST', '/api/v1/usuals', { body: { title: 'one' } })
    const dry = await call('PATCH', `${TYPES}/usual?dry_run=true`, { body: { publicRead: false } })
    assert.deepEqual(dry.body.data.changes, [
      {
        ...{ attribute: null, contentType: 'usual', member: 'permissions', action: 'change' },
        ...{ entriesAffected: 1, lossy: false },
      },
    ])
    assert.deepEqual((await data('GET', `${TYPES}/usual`)).permissions, USUAL)
  })

  /** From here a page holds what a test brings about, however much others have told before. */
  async function position(): Promise<number> {
    return (await call('GET', '/api/v1/changes?after=now')).body.meta.next_after
  }

  /** The status of a read of each dialect, and whether it shows the entry, whose changes come after `from`. */
  async function readings(
    level: Level,
    name: string,
    id: number,
    documentId: string,
    from: number,
  ) {
    const get = async (path: string) => {
      const { status, body } = await call('GET', path, as(level))
      return { status, body, has: JSON.stringify(body).includes(documentId) }
    }
    const graphql = async (path: string, shape: string) => {
      const query = encodeURIComponent(`{${name}s{${shape}}}`)
      return JSON.stringify((await get(`/graphql${path}?query=${query}`)).body).includes('secret')
    }
    return {
      cms: (await get(`/api/${name}s/${id}`)).status,
      'cms list': (await get(`/api/${name}s`)).status,
      jsonapi: (await get(`/jsonapi/node/${name}/${documentId}`)).status,
      'jsonapi entry point': `node--${name}` in (await get('/jsonapi')).body.links,
      delivery: (await get(`${DELIVERED}/item/${documentId}`)).status,
      'delivery list': (await get(`${DELIVERED}?take=100`)).has,
      graphql: await graphql('', 'data{attributes{title}}'),
      'graphql offset': await graphql('/offset', 'items{title}'),
      'graphql connection': await graphql('/connection', 'edges{node{title}}'),
      schema: (await get(`/api/content-type-builder/content-types/${name}`)).status,
      ...(level === 'public'
        ? {}
        : {
            rest: (await get(`/api/v1/${name}s/${id}`)).status,
            search: (await get('/api/v1/search?q=secret')).has,
            changes: (await get(`/api/v1/changes?after=${from}&limit=1000`)).has,
          }),
    }
  }

  test('content-model 9: who may not read a type finds it in no dialect, nor in search and changes', async () => {
    const from = await position()
    await define('memo', { permissions: { public: [], read: [], write: [...USUAL.write] } })
    const { id, document_id } = await data('POST', '/api/v1/memos', { body: { title: 'secret' } })
    const shown = (level: Level) => readings(level, 'memo', id, document_id, from)
    const hidden = (status: number) => ({
      ...{ cms: status, 'cms list': status, jsonapi: status, 'jsonapi entry point': false },
      ...{ delivery: 404, 'delivery list': false, graphql: false, 'graphql offset': false },
      ...{ 'graphql connection': false, schema: status },
    })
    assert.deepEqual(await shown('public'), hidden(401))
    const unread = { rest: 403, search: false, changes: false }
    assert.deepEqual(await shown('read'), { ...hidden(403), ...unread })
    const open = {
      ...{ cms: 200, 'cms list': 200, jsonapi: 200, 'jsonapi entry point': true },
      ...{ delivery: 200, 'delivery list': true, graphql: true, 'graphql offset': true },
      ...{ 'graphql connection': true, schema: 200, rest: 200, changes: true },
    }
    for (const path of ['search?q=secret&types=memo', 'changes?types=memo']) {
      assert.equal((await call('GET', `/api/v1/${path}`, as('read'))).status, 403, path)
      assert.equal((await call('GET', `/api/v1/${path}`, as('write'))).status, 200, path)
    }
    const { search: _, ...staff } = await shown('write')
    assert.deepEqual(staff, open)
    const event = await call('GET', '/webhooks/event-types/memo.created')
    assert.equal(event.body.data?.visibility ?? event.body.visibility, 'staff')
    // What is cached for one level is not given to another, nor after a change.
    await data('PATCH', `${TYPES}/memo`, { body: { permissions: { write: ['create'] } } })
    assert.deepEqual(await shown('write'), { ...hidden(403), ...unread })
    const { search: __, ...admin } = await shown('admin')
    assert.deepEqual(admin, open)
    await data('PATCH', `${TYPES}/memo`, { body: { publicRead: true } })
    const { delivery, cms } = await shown('public')
    assert.deepEqual({ delivery, cms }, { delivery: 200, cms: 200 })
  })

  test('content-model 9: a relation to a type that may not be read is left out, and refused by name', async () => {
    await define('vault', { permissions: { public: [], read: [] } })
    await define(
      'door',
      {},
      { vault: { type: 'relation', relation: 'manyToOne', target: 'vault' } },
    )
    const vault = await data('POST', '/api/v1/vaults', { body: { title: 'gold' } })
    const door = await data('POST', '/api/v1/doors', { body: { title: 'oak', vault_id: vault.id } })
    const path = `/api/doors/${door.id}?populate`
    const all = await call('GET', `${path}=*`, as('read'))
    assert.equal('vault' in all.body.data.attributes, false)
    for (const named of [
      `${path}=vault`,
      '/api/doors?filters[vault][title]=gold',
      '/api/doors?sort=vault.title',
    ]) {
      assert.equal((await call('GET', named, as('read'))).status, 403, named)
      assert.equal((await call('GET', named, as('public'))).status, 401, named)
      assert.equal((await call('GET', named, as('write'))).status, 200, named)
    }
  })

  test('content-model 9: each write is allowed by its own operation, in every dialect that writes', async () => {
    await define('slip', {
      draftAndPublish: true,
      permissions: { read: ['read', 'create'], write: ['read', 'update'] },
    })
    const made = await call('POST', '/api/v1/slips', as('read', { body: { title: 'mine' } }))
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.deepEqual(Object.keys(made.body.data), ['id', 'document_id'], 'a draft it may not read')
    const { id, document_id } = made.body.data
    assert.equal((await data('GET', `/api/v1/slips/${id}?status=draft`)).status, 'draft')
    const doc = { type: 'node--slip', id: document_id, attributes: { title: 'changed' } }
    const mutation = (text: string) => ({ body: { query: `mutation {${text}}` } })
    const attempts = {
      'rest update': ['PATCH', `/api/v1/slips/${id}`, { body: { title: 'changed' } }],
      'rest delete': ['DELETE', `/api/v1/slips/${id}`, {}],
      'rest publish': ['POST', `/api/v1/slips/${id}/publish`, {}],
      'cms update': ['PUT', `/api/slips/${id}`, { body: { data: { title: 'changed' } } }],
      'cms publish': [
        'PUT',
        `/api/slips/${id}`,
        { body: { data: { publishedAt: '2026-01-01T00:00Z' } } },
      ],
      'cms delete': ['DELETE', `/api/slips/${id}`, {}],
      'jsonapi update': [
        'PATCH',
        `/jsonapi/node/slip/${document_id}`,
        { headers: JSONAPI, body: { data: doc } },
      ],
      'jsonapi delete': ['DELETE', `/jsonapi/node/slip/${document_id}`, {}],
    } as const
    const outcome = async (level: Level) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(attempts).map(async ([what, [method, path, sent]]) => {
            return [what, (await call(method, path, as(level, sent))).status] as const
          }),
        ),
      )
    const refused = Object.fromEntries(Object.keys(attempts).map((what) => [what, 403]))
    assert.deepEqual(await outcome('read'), refused)
    const updates = { 'rest update': 200, 'cms update': 200, 'jsonapi update': 200 }
    assert.deepEqual(await outcome('write'), { ...refused, ...updates })
    const code = async (level: Level, text: string) =>
      (await call('POST', '/graphql', as(level, mutation(text)))).body.errors?.[0].extensions.code
    assert.equal(await code('write', `deleteSlip(id: ${id}){data{id}}`), 'FORBIDDEN')
    assert.equal(
      await code('read', `updateSlip(id: ${id}, data: {title: "x"}){data{id}}`),
      'FORBIDDEN',
    )
    assert.equal(await code('read', 'createSlip(data: {title: "x"}){data{id}}'), undefined)
    // Who may not publish saves working copies: what is live stays as it is.
    await data('PATCH', `/api/v1/slips/${id}`, { body: { title: 'live' } })
    await data('POST', `/api/v1/slips/${id}/publish`)
    await call('PATCH', `/api/v1/slips/${id}`, as('write', { body: { title: 'proposed' } }))
    assert.equal((await data('GET', `/api/v1/slips/${id}`)).title, 'live')
    assert.equal((await data('GET', `/api/v1/slips/${id}?status=draft`)).title, 'proposed')
    const bulk = {
      operations: [
        { op: 'delete', id },
        { op: 'update', id, data: { title: 'bulk' } },
      ],
    }
    const { body } = await call('POST', '/api/v1/slips/bulk', as('write', { body: bulk }))
    const statuses = body.data.map(({ status }: { status: number }) => status)
    assert.deepEqual(statuses, [403, 200])
  })

  test('content-model 9: former values and times of publication follow the permissions, too', async () => {
    const own = { read: ['read', 'update'], write: ['create'] }
    await define('timed', { draftAndPublish: true, permissions: own })
    const { id } = await data('POST', '/api/v1/timeds', { body: { title: 'one' } })
    await data('PATCH', `/api/v1/timeds/${id}`, { body: { title: 'two' } })
    const revisions = `/api/v1/timeds/${id}/revisions`
    const [, former] = await data('GET', revisions, as('write'))
    const restore = `${revisions}/${former.id}/restore`
    const statuses = async (level: Level) => [
      (await call('GET', revisions, as(level))).status,
      (await call('GET', `${revisions}/${former.id}`, as(level))).status,
      (await call('POST', restore, as(level))).status,
    ]
    assert.deepEqual(await statuses('public'), [401, 401, 401])
    assert.deepEqual(await statuses('read'), [403, 403, 403])
    assert.deepEqual(await statuses('write'), [200, 200, 200])
    const body = { publish_at: '2099-01-01T00:00:00Z' }
    for (const [level, status] of [
      ['write', 403],
      ['admin', 200],
    ] as const) {
      const answer = await call('PATCH', `/api/v1/timeds/${id}`, as(level, { body }))
      assert.equal(answer.status, status, level)
    }
    const made = await call('POST', '/api/v1/timeds', as('write', { body }))
    assert.equal(made.status, 403)
  })

  test('content-model 9: what is to be published by itself is changed only by who may publish it', async () => {
    const drafted = { draftAndPublish: true, permissions: { write: ['read', 'create', 'update'] } }
    await data('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
    const shared = { type: 'string', localized: false }
    await define(
      'bill',
      { ...drafted, localized: true },
      { shared, stock: { type: 'integer', unversioned: true } },
    )
    await define(
      'desk',
      {},
      {
        bills: { type: 'relation', relation: 'oneToMany', target: 'bill', targetAttribute: 'desk' },
      },
    )
    const bill = await data('POST', '/api/v1/bills', { body: { title: 'live' } })
    const path = `/api/v1/bills/${bill.id}`
    await data('PATCH', `${path}?status=draft`, { body: { title: 'seen' } })
    const french = await data('POST', '/api/v1/bills', {
      body: { document_id: bill.document_id, locale: 'fr', title: 'vu', status: 'draft' },
    })
    const [, former] = await data('GET', `${path}/revisions`)
    const publish_at = '2099-01-01T00:00:00.000Z'
    await data('PATCH', path, { body: { publish_at } })
    const desk = await data('POST', '/api/v1/desks', { body: { title: 'desk' } })
    const doc = { type: 'node--bill', id: bill.document_id, attributes: { title: 'unseen' } }
    const title = 'unseen'
    const attempts: readonly (readonly [string, string, object])[] = [
      ['PATCH', path, { body: { title } }],
      ['PATCH', `${path}?status=draft`, { body: { title } }],
      ['PUT', `/api/bills/${bill.id}`, { body: { data: { title } } }],
      [
        'PATCH',
        `/jsonapi/node/bill/${bill.document_id}`,
        { headers: JSONAPI, body: { data: doc } },
      ],
      ['POST', `${path}/revisions/${former.id}/restore`, {}],
      ['POST', `${path}/discard-draft`, {}],
      // What all languages share, and a relation written from its other end.
      ['PATCH', `/api/v1/bills/${french.id}`, { body: { shared: title } }],
      ['PATCH', `/api/v1/desks/${desk.id}`, { body: { bills: [bill.id] } }],
    ]
    for (const [method, target, sent] of attempts) {
      const { status, body } = await call(method, target, as('write', sent))
      assert.equal(status, 403, `${method} ${target} ${JSON.stringify(body)}`)
      assert.match(JSON.stringify(body), /2099-01-01T00:00:00.000Z.*publish_at/, target)
    }
    const { body: refused } = await call('PATCH', path, as('write', { body: { title } }))
    assert.deepEqual(
      [refused.error.code, refused.error.publish_at],
      ['publication_planned', publish_at],
    )
    const query = `mutation {updateBill(id: ${bill.id}, data: {title: "unseen"}){data{id}}}`
    const graph = await call('POST', '/graphql', as('write', { body: { query } }))
    assert.equal(graph.body.errors[0].extensions.code, 'FORBIDDEN')
    const bulk = { operations: [{ op: 'update', id: bill.id, data: { title } }] }
    const done = await call('POST', '/api/v1/bills/bulk', as('write', { body: bulk }))
    assert.equal(done.body.data[0].status, 403)
    const kept = await data('GET', `${path}?status=draft`)
    assert.deepEqual(
      [kept.title, kept.shared, kept.desk_id, kept.publish_at],
      ['seen', null, null, publish_at],
    )
    // What changes nothing of it, or goes live at once anyway, is open; so is all of it for who may publish.
    const open = [
      [path, { title: 'seen' }],
      [path, { stock: 3 }],
      [`/api/v1/bills/${french.id}`, { title: 'vu encore' }],
    ] as const
    for (const [target, body] of open) {
      assert.equal((await call('PATCH', target, as('write', { body }))).status, 200, target)
    }
    await data('PATCH', `${path}?status=draft`, { body: { title: 'seen again' } })
    assert.equal((await data('GET', `${path}?status=draft`)).publish_at, publish_at)
    await data('PATCH', path, { body: { publish_at: null } })
    assert.equal((await call('PATCH', path, as('write', { body: { title } }))).status, 200)
    assert.equal((await data('GET', path)).title, 'live')
  })

  test('content-model 9: changes of a type that is gone are for those who could read it', async () => {
    const from = await position()
    await define('casefile', { permissions: { public: [], read: [] } })
    const { document_id } = await data('POST', '/api/v1/casefiles', { body: { title: 'secret' } })
    await define('leaflet', {})
    const leaflet = await data('POST', '/api/v1/leaflets', { body: { title: 'open' } })
    for (const name of ['casefile', 'leaflet']) await call('DELETE', `${TYPES}/${name}?force=true`)
    const told = async (level: Level, query = '') => {
      const path = `/api/v1/changes?after=${from}&limit=1000${query}`
      const { status, body } = await call('GET', path, as(level))
      return [status, JSON.stringify(body).includes(document_id)]
    }
    // Once the end of the open one is told, so is that of the other.
    await until(async () => {
      const { body } = await call('GET', `/api/v1/changes?after=${from}&types=leaflet`, as('read'))
      return body.data.some(
        (each: { event: string; document_id: string }) =>
          each.event === 'leaflet.deleted' && each.document_id === leaflet.document_id,
      )
    })
    await until(
      async () =>
        (await call('GET', `/api/v1/changes?after=${from}&types=casefile`)).body.data.length > 1,
    )
    assert.deepEqual(await told('read'), [200, false])
    assert.deepEqual(await told('read', '&types=casefile'), [400, false], 'as if it had never been')
    assert.deepEqual(await told('write', '&types=casefile'), [200, true])
    assert.deepEqual(await told('admin'), [200, true])
    // Nor when another type has its name, which everybody may read.
    await define('casefile', {})
    const open = await data('POST', '/api/v1/casefiles', { body: { title: 'open' } })
    await until(async () => {
      const { body } = await call('GET', `/api/v1/changes?after=${from}&types=casefile`, as('read'))
      return JSON.stringify(body).includes(open.document_id)
    })
    assert.deepEqual(await told('read', '&types=casefile'), [200, false])
    assert.deepEqual(await told('write', '&types=casefile'), [200, true])
  })

  test('content-model 9: who restores what it may not read is shown nothing of it', async () => {
    const write = ['create', 'update', 'delete', 'publish']
    await define('ballot', { permissions: { public: [], read: [], write } })
    const { id } = await data('POST', '/api/v1/ballots', { body: { title: 'first' } })
    await data('PATCH', `/api/v1/ballots/${id}`, { body: { title: 'second' } })
    const path = `/api/v1/ballots/${id}/revisions`
    const first = (await data('GET', path)).at(-1).id
    const restored = await data('POST', `${path}/${first}/restore`, as('write'))
    assert.deepEqual(Object.keys(restored), ['id', 'document_id'])
    assert.equal((await data('GET', `/api/v1/ballots/${id}`)).title, 'first')
  })

  test('content-model 9: a revision refers to nothing that may not be read now', async () => {
    await define('crypt', { permissions: { public: [], read: [], write: [] } })
    const target = { type: 'relation', target: 'crypt' }
    await define(
      'ledger',
      {},
      {
        one: { ...target, relation: 'manyToOne' },
        many: { ...target, relation: 'manyToMany' },
      },
    )
    const hidden = await data('POST', '/api/v1/crypts', { body: { title: 'hidden' } })
    const { id } = await data('POST', '/api/v1/ledgers', {
      body: { title: 'first', one: hidden.id, many: [hidden.id] },
    })
    await data('PATCH', `/api/v1/ledgers/${id}`, { body: { title: 'second' } })
    const path = `/api/v1/ledgers/${id}/revisions`
    const first = (await data('GET', path, as('write'))).at(-1).id
    const seen = async (level: Level) => (await data('GET', `${path}/${first}`, as(level))).record
    assert.equal((await seen('admin')).one_id, hidden.id)
    const { title, ...others } = await seen('write')
    assert.equal(title, 'first')
    assert.deepEqual(
      Object.keys(others).filter((name) => name.startsWith('one') || name === 'many'),
      [],
    )
    const node = (await call('GET', '/jsonapi/node/ledger')).body.data[0].id
    const version = `/jsonapi/node/ledger/${node}?resourceVersion=id:${first}`
    const { relationships } = (await call('GET', version, as('write'))).body.data
    assert.deepEqual(Object.keys(relationships), ['node_type', 'uid'])
    assert.equal((await call('GET', `${version}&include=many`, as('write'))).status, 403)
    await data('PATCH', `/api/v1/ledgers/${id}`, { body: { one: null, many: [] } })
    const back = await call('POST', `${path}/${first}/restore`, as('write'))
    assert.equal(back.body.data?.title, 'first', JSON.stringify(back.body))
    assert.equal((await data('GET', `/api/v1/ledgers/${id}`)).one_id, null, 'it stays as it is')
    await call('DELETE', `/api/v1/crypts/${hidden.id}`)
    const warned = async (level: Level) =>
      (await call('GET', `${path}/${first}`, as(level))).body.meta.warnings.length
    assert.equal(await warned('write'), 0)
    assert.equal(await warned('admin'), 2)
  })

  test('content-model 9: what is live of the other end of a relation changes for who may publish it', async () => {
    const write = ['read', 'create', 'update', 'delete']
    await define('shelf', { draftAndPublish: true, pluralName: 'shelves' })
    await define(
      'book',
      { draftAndPublish: true, permissions: { write } },
      {
        shelf: {
          ...{ type: 'relation', relation: 'manyToOne', target: 'shelf' },
          targetAttribute: 'books',
        },
      },
    )
    const book = await data('POST', '/api/v1/books', { body: { title: 'book' } })
    const shelf = await data('POST', '/api/v1/shelves', { body: { title: 'shelf' } })
    const live = async () =>
      (await data('GET', `/api/books/${book.id}?populate=shelf`, as('read'))).attributes.shelf.data
    const put = (level: Level) =>
      data('PATCH', `/api/v1/shelves/${shelf.id}`, as(level, { body: { books: [book.id] } }))
    await put('write')
    assert.equal(await live(), null)
    const drafted = await data('GET', `/api/v1/books/${book.id}?status=draft`)
    assert.equal(drafted.shelf_id, shelf.id)
    assert.equal(drafted.status, 'changed')
    await data('POST', `/api/v1/books/${book.id}/publish`)
    assert.equal((await live())?.id, shelf.id)
  })

  test('content-model 9: the public may send a form in, and sees nothing of it', async () => {
    await setLimit(1_000)
    await define('letter', {
      draftAndPublish: true,
      permissions: { public: ['create'] },
    })
    const cms = await call(
      'POST',
      '/api/letters',
      as('public', { body: { data: { title: 'hello' } } }),
    )
    assert.equal(cms.status, 200, JSON.stringify(cms.body))
    assert.deepEqual(cms.body.data.attributes, {})
    const form = new FormData()
    form.set('data', '{"title":"from a form"}')
    const sent = await call('POST', '/api/letters', as('public', { form }))
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const node = await call(
      'POST',
      '/jsonapi/node/letter',
      as('public', {
        headers: JSONAPI,
        body: { data: { type: 'node--letter', attributes: { title: 'node' } } },
      }),
    )
    assert.equal(node.status, 201, JSON.stringify(node.body))
    assert.deepEqual(Object.keys(node.body.data), ['type', 'id'])
    const query = 'mutation {createLetter(data: {title: "graph"}){data{id attributes{title}}}}'
    const graph = await call('POST', '/graphql', as('public', { body: { query } }))
    assert.deepEqual(graph.body, { data: { createLetter: null } })
    const flat = 'mutation {createLetter(data: {title: "graph"}){id}}'
    const refused = await call('POST', '/graphql/offset', as('public', { body: { query: flat } }))
    assert.equal(refused.body.errors[0].extensions.code, 'UNAUTHENTICATED')
    const stored = (await call('GET', '/api/v1/letters?status=draft')).body.data
    const titles = stored.map(({ title, status }: Record<string, unknown>) => `${title} ${status}`)
    assert.deepEqual(titles, ['hello draft', 'from a form draft', 'node draft', 'graph draft'])
    const { id } = cms.body.data
    for (const [method, path, body] of [
      ['GET', `/api/letters/${id}`, undefined],
      ['GET', '/api/letters', undefined],
      ['PUT', `/api/letters/${id}`, { data: { title: 'x' } }],
      ['DELETE', `/api/letters/${id}`, undefined],
      ['POST', '/api/v1/letters', { title: 'x' }],
      ['POST', '/api/v1/letters/bulk', { operations: [{ op: 'create', data: {} }] }],
    ] as const) {
      assert.equal(
        (await call(method, path, as('public', { body }))).status,
        401,
        `${method} ${path}`,
      )
    }
  })

  test('content-model 9: a form changes nothing of others and names no file', async () => {
    await define(
      'guest',
      { permissions: { public: ['read', 'create'] } },
      {
        photo: { type: 'media' },
        seat: {
          type: 'relation',
          relation: 'oneToOne',
          target: 'guest',
          targetAttribute: 'sitter',
        },
        notes: { type: 'relation', relation: 'manyToMany', target: 'vault' },
      },
    )
    const send = (values: object) =>
      call('POST', '/api/guests', as('public', { body: { data: values } }))
    const first = await send({ title: 'first' })
    assert.equal(first.body.data.attributes.title, 'first', 'what it may read it sees')
    const { id } = first.body.data
    assert.equal((await send({ title: 'beside', seat: id })).status, 200)
    assert.equal((await send({ title: 'takes it away', seat: id })).status, 401)
    assert.equal((await send({ title: 'from the other end', sitter: id })).status, 401)
    assert.equal((await send({ title: 'looks for secrets', notes: [1] })).status, 401)
    assert.equal((await send({ title: 'shows a file', photo: 1 })).status, 401)
    assert.equal((await call('GET', '/api/guests', as('public'))).body.meta.pagination.total, 2)
  })

  test('content-model 9: what is sent in without a key is limited by address', async () => {
    await setLimit(3)
    const send = (address: string) =>
      call(
        'POST',
        '/api/letters',
        as('public', {
          headers: { 'x-forwarded-for': address },
          body: { data: { title: 'many' } },
        }),
      )
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) statuses.push((await send('203.0.113.7')).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
    assert.equal((await send('203.0.113.8')).status, 200)
    const query = 'mutation {createLetter(data: {title: "graph"}){data{id}}}'
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const graph = await call('POST', '/graphql', as('public', { headers, body: { query } }))
    assert.equal(graph.body.errors[0].extensions.code, 'RATE_LIMITED')
    const keyed = await call('POST', '/api/letters', { headers, body: { data: { title: 'key' } } })
    assert.equal(keyed.status, 200)
    await setLimit(null)
  })

  test('content-model 9: products and stock are read by whom their type says', async () => {
    await define(
      'product',
      { permissions: { public: [], read: [] } },
      {
        ...{ name: { type: 'string' }, sku: { type: 'string', unique: true } },
        ...{ price: { type: 'decimal' }, stock: { type: 'integer', unversioned: true } },
        is_in_stock: { type: 'boolean', unversioned: true },
      },
    )
    await data('POST', '/api/v1/products', { body: { sku: 'MUG-1', name: 'Mug', stock: 3 } })
    for (const [path, refusal] of [
      ['/api/products/MUG-1/stock', 403],
      // Clients of that dialect know no other refusal.
      ['/rest/V1/products/MUG-1', 401],
    ] as const) {
      assert.equal((await call('GET', path, as('public'))).status, 401, path)
      assert.equal((await call('GET', path, as('read'))).status, refusal, path)
      assert.equal((await call('GET', path, as('write'))).status, 200, path)
    }
    await data('PATCH', `${TYPES}/product`, { body: { permissions: { write: ['read'] } } })
    const body = { sku: 'MUG-1', quantity: 9 }
    const path = '/api/products/MUG-1/stock'
    assert.equal((await call('PATCH', path, as('write', { body }))).status, 403)
    assert.equal((await call('PATCH', path, { body })).status, 200)
    // The answer of this dialect is the product: who may not read it changes none.
    const writes = { permissions: { read: [], write: ['create', 'update'] } }
    await data('PATCH', `${TYPES}/product`, { body: writes })
    for (const sku of ['MUG-1', 'MUG-2']) {
      const sent = { body: { product: { sku, name: 'Changed', price: 1 } } }
      assert.equal((await call('POST', '/rest/V1/products', as('write', sent))).status, 401, sku)
    }
    const { body: all } = await call('GET', '/api/v1/products?limit=100')
    assert.deepEqual(
      all.data.map(({ name }: { name: string }) => name),
      ['Mug'],
    )
  })

  test('content-model 9: files that only hidden types use are hidden with them', async () => {
    await define('layout', { permissions: { public: [], read: [] } }, { sheet: { type: 'media' } })
    const form = new FormData()
    form.append('files', new File(['sheet'], 'sheet.txt', { type: 'text/plain' }))
    const [file] = (await call('POST', '/api/upload', { form })).body
    const seen = async (level: Level) =>
      (await call('GET', `/api/upload/files/${file.id}`, as(level))).status
    assert.equal(await seen('read'), 200, 'of no type yet')
    await data('POST', '/api/v1/layouts', { body: { title: 'p', sheet: file.id } })
    assert.equal(await seen('read'), 404)
    assert.equal(await seen('write'), 200)
    const own = `/api/v1/media/${file.id}`
    const listed = async (level: Level) => {
      const { body } = await call('GET', '/api/v1/media?limit=100', as(level))
      return body.data.some(({ id }: { id: number }) => id === file.id)
    }
    assert.deepEqual([await listed('read'), await listed('write')], [false, true])
    for (const path of [own, `${own}/related`]) {
      assert.equal((await call('GET', path, as('read'))).status, 404, path)
      assert.equal((await call('GET', path, as('write'))).status, 200, path)
    }
    await data('PATCH', `${TYPES}/layout`, { body: { permissions: { write: ['create'] } } })
    for (const [method, path, sent] of [
      ['PATCH', own, { body: { caption: 'x' } }],
      ['DELETE', own, {}],
    ] as const) {
      assert.equal((await call(method, path, as('write', sent))).status, 404, method)
    }
    assert.equal((await data('GET', own)).caption, null)
  })

  test('content-model 9: of the uses of a file those are listed that a caller may read', async () => {
    const photo = { photo: { type: 'media' } }
    const kept = { hidden: { type: 'media', private: true } }
    await define('album', {}, { ...photo, ...kept })
    await define('dossier', { permissions: { public: [], read: [] } }, photo)
    const form = new FormData()
    form.append('files', new File(['photo'], 'photo.txt', { type: 'text/plain' }))
    const [file] = (await call('POST', '/api/upload', { form })).body
    await data('POST', '/api/v1/albums', { body: { title: 'a', photo: file.id, hidden: file.id } })
    await data('POST', '/api/v1/dossiers', { body: { title: 'd', photo: file.id } })
    const uses = async (level: Level) => {
      const { body } = await call('GET', `/api/v1/media/${file.id}/related`, as(level))
      return body.data.map((use: { type: string; field: string }) => `${use.type} ${use.field}`)
    }
    assert.deepEqual(await uses('read'), ['album photo'])
    assert.deepEqual(await uses('write'), ['album photo', 'dossier photo'])
    const { body } = await call('GET', `/api/upload/files/${file.id}?populate=related`, as('read'))
    assert.equal(body.related.length, 1)
  })

  test('content-model 9: who writes without reading is told the ids, or refused before anything is written', async () => {
    const only = { public: [], read: [], write: ['create', 'update', 'publish'] }
    await define('drop', { permissions: only, draftAndPublish: true })
    await define('chest', { permissions: { public: [], read: [], write: [] } })
    await define(
      'chain',
      {},
      { chest: { type: 'relation', relation: 'manyToOne', target: 'chest' } },
    )
    const titles = async (plural: string) => {
      const { body } = await call('GET', `/api/v1/${plural}?status=all&limit=100`)
      return body.data.map(({ title }: { title: string }) => title).join()
    }
    const doc = { data: { type: 'node--drop', attributes: { title: 'c' } } }
    const made = [
      await call('POST', '/api/v1/drops', as('write', { body: { title: 'a' } })),
      await call('POST', '/api/drops', as('write', { body: { data: { title: 'b' } } })),
      await call('POST', '/jsonapi/node/drop', as('write', { headers: JSONAPI, body: doc })),
    ]
    for (const { status, body } of made) {
      assert.ok(status === 200 || status === 201, JSON.stringify(body))
      assert.doesNotMatch(JSON.stringify(body), /"title"/)
    }
    assert.equal(await titles('drops'), 'a,b,c')
    const { id } = made[0]?.body.data ?? {}
    await call('PATCH', `/api/v1/drops/${id}`, as('write', { body: { title: 'a2' } }))
    const [, first] = (await data('GET', `/api/v1/drops/${id}/revisions`)) ?? []
    if (first) {
      const restored = await call(
        'POST',
        `/api/v1/drops/${id}/revisions/${first.id}/restore`,
        as('write'),
      )
      assert.doesNotMatch(JSON.stringify(restored.body), /"title"/)
    }
    // An answer that could not be shown is refused before it is written.
    const chained = { data: { type: 'node--chain', attributes: { title: 'no' } } }
    const wrong = [
      await call('POST', '/api/v1/chains?include=chest', as('write', { body: { title: 'no' } })),
      await call(
        'POST',
        '/api/chains?populate=chest',
        as('write', { body: { data: { title: 'no' } } }),
      ),
      await call(
        'POST',
        '/jsonapi/node/chain?include=chest',
        as('write', { headers: JSONAPI, body: chained }),
      ),
    ]
    assert.deepEqual(
      wrong.map(({ status }) => status),
      [403, 403, 403],
    )
    const query =
      'mutation { createChain(data: { title: "no" }) { data { attributes { chest { data { id } } } } } }'
    const shown = await call('POST', '/graphql', as('write', { body: { query } }))
    assert.equal(await titles('chains'), shown.body.errors ? '' : 'no')
  })
})
