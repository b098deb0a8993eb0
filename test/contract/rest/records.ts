import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '#test-kit'
import { restSuite } from './support.ts'

export const records = restSuite('records', ({ kind, call, data, keys, server }) => {
  const ARTICLES = '/api/v1/articles'

  /** An article with a title of its own unless one is given. */
  let made = 0
  const create = (body: Record<string, unknown> = {}) =>
    data('POST', ARTICLES, { body: { title: `Article ${++made}`, ...body } })
  const author = (name: string) => data('POST', '/api/v1/authors', { body: { name } })

  function refused({ status, body }: Answer, expected: number, code: string, field?: string) {
    assert.equal(status, expected, JSON.stringify(body))
    assert.equal(body.error.code, code, JSON.stringify(body))
    if (field === undefined) return
    const fields = body.error.details.map((detail: { field: string }) => detail.field)
    assert.ok(fields.includes(field), JSON.stringify(body))
  }

  test('rest-conventions 2.1: all components of a record are embedded, however many', async () => {
    const attributes = {
      steps: { type: 'component', component: 'default.seo', repeatable: true },
    }
    const body = { singularName: 'recipe', pluralName: 'recipes', attributes }
    await data('POST', '/api/v1/content-types', { body })
    const steps = Array.from({ length: 101 }, (_, index) => ({ description: `Step ${index}` }))
    const { id } = await data('POST', '/api/v1/recipes', { body: { steps } })
    for (const query of ['', '?fields=steps']) {
      const shown = (await data('GET', `/api/v1/recipes/${id}${query}`)).steps
      assert.equal(shown.length, 101)
      assert.equal(shown.at(-1).description, 'Step 100')
    }
  })

  test('rest-conventions 1: the seven rows with their codes and bodies', async () => {
    const { id: writer } = await author('Ann')
    const made = await call('POST', ARTICLES, {
      key: keys.write,
      body: { title: 'Harbour cranes', summary: 'Steel', author_id: writer },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.headers.get('content-type'), 'application/json; charset=utf-8')
    const record = made.body.data
    const location = made.headers.get('location') ?? ''
    assert.equal(location, `${ARTICLES}/${record.id}`)
    const { id, document_id, created_at, updated_at, published_at, sort_order, ...rest } = record
    assert.deepEqual(rest, {
      ...{ title: 'Harbour cranes', slug: 'harbour-cranes', summary: 'Steel', body: null },
      ...{ price: null, rank: 5, author_id: writer, cover_id: null, seo: null },
      ...{ status: 'published', path: '/articles/harbour-cranes', tree_parent_id: null },
      external_id: null,
    })
    assert.match(document_id, /^[0-9a-f-]{36}$/)
    assert.equal(typeof sort_order, 'number')
    for (const time of [created_at, updated_at, published_at]) {
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }

    const read = await call('GET', location, { key: keys.read })
    assert.equal(read.status, 200)
    assert.deepEqual(read.body, made.body)
    assert.deepEqual((await call('GET', `${ARTICLES}/${document_id}`)).body, made.body)
    const list = await call('GET', ARTICLES, { key: keys.read })
    assert.equal(list.status, 200)
    assert.ok(
      list.body.data.some((each: object) => JSON.stringify(each) === JSON.stringify(record)),
    )
    assert.equal(list.body.meta.page, 1)

    const put = await call('PUT', location, { body: { title: 'Harbour cranes', summary: 'Iron' } })
    assert.equal(put.status, 200, JSON.stringify(put.body))
    assert.equal(put.body.data.summary, 'Iron')
    assert.equal(put.body.data.author_id, null)
    const patched = await call('PATCH', location, { body: { author_id: writer } })
    assert.equal(patched.status, 200)
    assert.deepEqual([patched.body.data.summary, patched.body.data.author_id], ['Iron', writer])

    const comment = await call('POST', `${location}/comments`, { body: { body: 'Nice' } })
    assert.equal(comment.status, 201, JSON.stringify(comment.body))
    const children = await call('GET', `${location}/comments`, { key: keys.read })
    assert.equal(children.status, 200)
    assert.deepEqual(children.body.data, [comment.body.data])

    const gone = await fetch(`${server().url}${location}`, {
      method: 'DELETE',
      headers: { 'x-api-key': keys.write },
    })
    assert.equal(gone.status, 204)
    assert.equal(await gone.text(), '')
    refused(await call('GET', location), 404, 'not_found')
    refused(await call('DELETE', location), 404, 'not_found')
  })

  test('rest-conventions 1: the location of a draft works too; HEAD is GET without its body', async () => {
    const draft = await call('POST', ARTICLES, { body: { status: 'draft', summary: 'x' } })
    assert.equal(draft.status, 201, JSON.stringify(draft.body))
    assert.equal(draft.body.data.status, 'draft')
    const location = draft.headers.get('location') ?? ''
    assert.deepEqual((await call('GET', location)).body, draft.body)
    refused(await call('GET', `${ARTICLES}/${draft.body.data.id}`), 404, 'not_found')

    const { id } = await create()
    const get = await call('GET', `${ARTICLES}/${id}`)
    const head = await call('HEAD', `${ARTICLES}/${id}`)
    assert.equal(head.status, 200)
    assert.equal(head.body, '')
    assert.equal(head.headers.get('etag'), get.headers.get('etag'))
  })

  test('rest-conventions 4: PUT is whole, PATCH merges, null clears', async () => {
    const record = await create({ summary: 'S', rank: 9, external_id: `whole-${kind}` })
    const path = `${ARTICLES}/${record.id}`
    refused(await call('PUT', path, { body: { summary: 'T' } }), 400, 'validation_error', 'title')
    const two = await call('PUT', path, { body: { price: 'cheap' } })
    assert.deepEqual(
      two.body.error.details.map(({ field, code }: Record<string, string>) => `${field} ${code}`),
      ['title required', 'price type'],
    )
    assert.equal((await data('GET', path)).summary, 'S')

    const put = await data('PUT', path, { body: { title: record.title } })
    assert.deepEqual([put.summary, put.rank, put.external_id], [null, 5, `whole-${kind}`])
    await data('PATCH', path, { body: { summary: 'U', rank: 7 } })
    const patched = await data('PATCH', path, {
      body: { rank: null },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    assert.deepEqual([patched.title, patched.summary, patched.rank], [record.title, 'U', null])
    for (const body of [{ title: 'x' }, {}]) {
      refused(await call('PUT', `${ARTICLES}/999999`, { body }), 404, 'not_found')
    }
    assert.equal((await call('GET', `${ARTICLES}/999999`)).status, 404)
  })

  test('rest-conventions 4: the shape of an answer may be sent back, read-only members unchanged', async () => {
    const { body } = await call('GET', `${ARTICLES}/${(await create()).id}`)
    const { id, title } = body.data
    const back = await call('PUT', `${ARTICLES}/${id}`, { body })
    assert.equal(back.status, 200, JSON.stringify(back.body))
    assert.deepEqual(back.body, body)
    const other = { ...body.data, id: id + 1 }
    refused(await call('PUT', `${ARTICLES}/${id}`, { body: other }), 400, 'read_only_field', 'id')
    const time = { created_at: '2020-01-01T00:00:00.000Z' }
    refused(await call('PATCH', `${ARTICLES}/${id}`, { body: time }), 400, 'read_only_field')
    const typo = { titel: 'x', title }
    refused(await call('PATCH', `${ARTICLES}/${id}`, { body: typo }), 400, 'unknown_field', 'titel')
    refused(await call('POST', ARTICLES, { body: { id: 7, title: 'x' } }), 400, 'read_only_field')
  })

  test('rest-conventions 5: no key, a wrong key, a key of level read', async () => {
    for (const [method, path] of [
      ['GET', ARTICLES],
      ['POST', ARTICLES],
      ['GET', '/api/v1/nothing'],
      ['PATCH', ARTICLES],
    ] as const) {
      const none = await fetch(`${server().url}${path}`, { method })
      assert.equal(none.status, 401)
      assert.equal(await none.text(), '{"error":"API key required"}')
      const wrong = await fetch(`${server().url}${path}`, {
        method,
        headers: { 'x-api-key': `sk_${'x'.repeat(48)}` },
      })
      assert.equal(wrong.status, 401)
      assert.equal(await wrong.text(), '{"error":"Invalid API key"}')
    }
    const { id } = await create()
    const record = `${ARTICLES}/${id}`
    for (const [method, path] of [
      ['POST', ARTICLES],
      ['PUT', record],
      ['PATCH', record],
      ['DELETE', record],
      ['POST', `${record}/unpublish`],
      ['POST', `${record}/comments`],
      ['POST', `${ARTICLES}/bulk`],
    ] as const) {
      const answer = await call(method, path, { key: keys.read, body: { title: 'x' } })
      refused(answer, 403, 'forbidden')
      assert.equal(answer.body.error.required, 'write')
    }
    assert.equal((await call('GET', record, { key: keys.read })).status, 200)
  })

  test('rest-conventions 6: what is wrong with a write, by status and field', async () => {
    const first = await create({ slug: `taken-${kind}`, external_id: `ext-${kind}` })
    const count = async () => (await call('GET', `${ARTICLES}?status=all`)).body.meta.total
    const before = await count()
    const post = (body: unknown) => call('POST', ARTICLES, { body })
    refused(await post({ title: 'x', slug: `taken-${kind}` }), 409, 'conflict')
    refused(await post({ title: 'x', external_id: `ext-${kind}` }), 409, 'conflict')
    refused(await post({ title: 'x', author_id: 999999 }), 422, 'invalid_reference')
    refused(await post({ title: 'x', price: 'cheap' }), 400, 'validation_error', 'price')
    refused(await post({ summary: 'x' }), 400, 'validation_error', 'title')
    refused(await post([]), 400, 'validation_error')
    const two = await post({ price: 'cheap', rank: 'high' })
    assert.equal(two.body.error.details.length, 3)
    assert.equal(two.body.error.message, '3 fields are not valid')
    const least = {
      ...{ singularName: 'least', pluralName: 'leasts', draftAndPublish: true },
      attributes: {
        name: { type: 'string', minLength: 3 },
        size: { type: 'integer', min: 1 },
        mail: { type: 'email' },
      },
    }
    await data('POST', '/api/v1/content-types', { body: least })
    const tooLittle = { name: 'ab', size: 0, mail: 'nobody' }
    const { body: all } = await call('POST', '/api/v1/leasts', { body: tooLittle })
    const fields = all.error.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields.toSorted(), ['mail', 'name', 'size'])
    const { body: draft } = await call('POST', '/api/v1/leasts?status=draft', { body: tooLittle })
    assert.deepEqual(draft.error.details.length, 1)
    const last = 999_999_999_999_999
    for (const sort_order of [last + 1, -last - 1, Number.MAX_SAFE_INTEGER, 1.5, '1']) {
      refused(
        await call('POST', '/api/v1/leasts', { body: { sort_order } }),
        400,
        'validation_error',
      )
    }
    await data('POST', '/api/v1/leasts', { body: { sort_order: last } })
    assert.equal((await data('POST', '/api/v1/leasts', { body: {} })).sort_order, last + 1)
    await call('DELETE', '/api/v1/content-types/least?force=true')

    const raw = (text: string, type = 'application/json') =>
      fetch(`${server().url}${ARTICLES}`, {
        method: 'POST',
        headers: { 'x-api-key': keys.write, 'content-type': type },
        body: text,
      }).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        body: JSON.parse(await answer.text()),
      }))
    refused(await raw('{"title":'), 400, 'invalid_json')
    refused(await raw('"\\ud800"'), 400, 'validation_error')
    refused(await raw('{"title":"a\\u0000"}'), 400, 'validation_error')
    refused(await raw(JSON.stringify({ title: 'x'.repeat(2 << 20) })), 413, 'payload_too_large')
    refused(await raw('title=x', 'text/plain'), 415, 'unsupported_media_type')

    const list = await call('PATCH', ARTICLES, { body: {} })
    refused(list, 405, 'method_not_allowed')
    assert.equal(list.headers.get('allow'), 'GET, HEAD, POST')
    const bulk = await call('GET', `${ARTICLES}/bulk`)
    assert.equal(bulk.status, 405)
    assert.equal(bulk.headers.get('allow'), 'POST')
    const other = await call('DELETE', '/api/v1/me')
    refused(other, 405, 'method_not_allowed')
    assert.equal(other.headers.get('allow'), 'GET, HEAD')
    refused(await call('GET', '/api/v1/nothing/1'), 404, 'route_not_found')
    refused(await call('POST', '/api/v1/nothing', { body: {} }), 404, 'route_not_found')
    refused(await call('GET', `${ARTICLES}/abc`), 404, 'not_found')
    refused(await call('GET', `${ARTICLES}/99999999999999999999`), 404, 'not_found')
    assert.equal(await count(), before)
    assert.equal((await data('GET', `${ARTICLES}/${first.id}`)).slug, `taken-${kind}`)
  })

  test('rest-conventions 6: what stands beside attributes is refused by the name that was sent', async () => {
    const above = await create()
    const below = await create({ tree_parent_id: above.document_id, external_id: `below-${kind}` })
    const patch = (id: number, body: object) => call('PATCH', `${ARTICLES}/${id}`, { body })
    const loop = await patch(above.id, { tree_parent_id: below.document_id })
    refused(loop, 422, 'invalid_reference', 'tree_parent_id')
    assert.equal(loop.body.error.message, 'tree_parent_id lies below this entry')
    const used = await patch(above.id, { external_id: `below-${kind}` })
    refused(used, 409, 'conflict')
    assert.equal(used.body.error.message, 'external_id is already used')
    await data('PATCH', `${ARTICLES}/${above.id}`, { body: { is_root: true } })
    const root = await patch((await create()).id, { is_root: true })
    refused(root, 409, 'conflict')
    assert.equal(root.body.error.message, 'is_root is already set on another entry')
    const many = await call('POST', `${ARTICLES}/bulk`, {
      body: { operations: [{ op: 'create', data: { title: 'x', is_root: true } }] },
    })
    assert.equal(many.body.data[0].error.message, 'is_root is already set on another entry')
    await data('PATCH', `${ARTICLES}/${above.id}`, { body: { is_root: false } })
    const nobody = await call('POST', ARTICLES, { body: { title: 'x', author_id: 999999 } })
    refused(nobody, 422, 'invalid_reference', 'author_id')
    assert.match(nobody.body.error.message, /^author_id names/)
  })

  test('rest-conventions 11: an old tag is refused, of two at once one passes', async () => {
    const { id } = await create()
    const path = `${ARTICLES}/${id}`
    const tag = (await call('GET', path)).headers.get('etag') ?? ''
    assert.match(tag, /^"[^"]+"$/)
    const change = (summary: string, ifMatch: string) =>
      call('PATCH', path, { body: { summary }, headers: { 'if-match': ifMatch } })
    const both = await Promise.all([change('a', tag), change('b', tag)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412])
    refused(await change('c', tag), 412, 'precondition_failed')
    refused(
      await call('PUT', path, { body: { title: 'x' }, headers: { 'if-match': tag } }),
      412,
      'precondition_failed',
    )
    refused(
      await call('DELETE', path, { headers: { 'if-match': tag } }),
      412,
      'precondition_failed',
    )
    const winner = both.find(({ status }) => status === 200)
    const now = await call('GET', path)
    assert.equal(now.body.data.summary, winner?.body.data.summary)
    const current = now.headers.get('etag') ?? ''
    assert.equal((await change('d', `"x", ${current}`)).status, 200)
    assert.equal((await change('e', '*')).status, 200)
    refused(
      await call('PATCH', `${ARTICLES}/999999`, { body: {}, headers: { 'if-match': tag } }),
      404,
      'not_found',
    )
  })

  test('rest-conventions 11: what a relation loses from its other end makes the tags of both ends old', async () => {
    const types = ['desk', 'clerk'].map((name) => ({
      ...{ singularName: name, pluralName: `${name}s`, draftAndPublish: false },
      attributes: { title: { type: 'string' } },
    }))
    await call('POST', '/api/v1/content-types/batch', { body: { contentTypes: types } })
    const desk = {
      type: 'relation',
      relation: 'manyToOne',
      target: 'desk',
      targetAttribute: 'clerks',
    }
    const linked = { body: { attributes: { desk } } }
    assert.equal((await call('PATCH', '/api/v1/content-types/clerk', linked)).status, 200)
    const one = await data('POST', '/api/v1/desks', { body: { title: 'One' } })
    const sent = { body: { title: 'Ada', desk: one.id } }
    const clerk = await data('POST', '/api/v1/clerks', sent)
    const [deskPath, clerkPath] = [`/api/v1/desks/${one.id}`, `/api/v1/clerks/${clerk.id}`]
    const tagOf = async (path: string) => (await call('GET', path)).headers.get('etag') ?? ''
    const total = async () => (await call('GET', `${deskPath}/clerks`)).body.meta.total
    const [deskTag, clerkTag] = [await tagOf(deskPath), await tagOf(clerkPath)]
    const remove = (tag: string) =>
      call('PATCH', deskPath, {
        ...{ body: { clerks: { disconnect: [clerk.id] } }, headers: { 'if-match': tag } },
      })
    const rename = (tag: string) =>
      call('PATCH', clerkPath, { body: { title: 'Bea' }, headers: { 'if-match': tag } })
    await data('PATCH', deskPath, { body: { title: 'Two' } })
    refused(await remove(deskTag), 412, 'precondition_failed')
    assert.equal(await total(), 1)
    assert.equal((await remove(await tagOf(deskPath))).status, 200)
    assert.equal(await total(), 0)
    refused(await rename(clerkTag), 412, 'precondition_failed')
    assert.equal((await data('GET', clerkPath)).title, 'Ada')
    assert.equal((await rename(await tagOf(clerkPath))).status, 200)
    for (const { singularName } of types.toReversed()) {
      await call('DELETE', `/api/v1/content-types/${singularName}?force=true`)
    }
  })

  test('rest-conventions 11: one key, one record', async () => {
    const headers = { 'idempotency-key': `order-${kind}` }
    const body = { title: 'Once', external_id: `once-${kind}` }
    const first = await call('POST', ARTICLES, { body, headers })
    assert.equal(first.status, 201)
    assert.equal(first.headers.get('idempotent-replayed'), null)
    const again = await call('POST', ARTICLES, { body, headers })
    assert.equal(again.status, 201)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(again.headers.get('location'), first.headers.get('location'))
    assert.deepEqual(again.body, first.body)
    const other = { ...body, title: 'Twice' }
    refused(await call('POST', ARTICLES, { body: other, headers }), 422, 'idempotency_mismatch')
    const found = await call('GET', `${ARTICLES}?external_id=once-${kind}`)
    assert.equal(found.body.meta.total, 1)
  })

  test('a record is tagged and asked for again; lists too', async () => {
    const path = `${ARTICLES}/${(await create()).id}`
    for (const url of [path, `${path}?include=author`, ARTICLES]) {
      const first = await call('GET', url)
      assert.equal(first.headers.get('cache-control'), 'private, no-cache')
      const etag = first.headers.get('etag') ?? ''
      assert.equal(etag.startsWith('W/'), url !== path, url)
      const again = await call('GET', url, { headers: { 'if-none-match': etag } })
      assert.equal(again.status, 304)
      assert.equal(again.body, '')
    }
  })

  test('rest-conventions §3: status=published of a change publishes a draft, and changes nothing of what is live', async () => {
    const path = '/api/v1/articles'
    const made = await data('POST', `${path}?status=draft`, { body: { title: 'Not yet' } })
    const record = `${path}/${made.id}`
    assert.equal((await data('PATCH', record, { body: { title: 'Still not' } })).status, 'draft')
    const body = { title: 'Now' }
    const shown = await data('PATCH', `${record}?status=published`, { body })
    assert.deepEqual([shown.status, shown.title], ['published', 'Now'])
    assert.equal((await data('GET', record)).title, 'Now')
    assert.deepEqual(await data('PATCH', `${record}?status=published`, { body }), shown)
    await data('POST', `${record}/unpublish`)
    const operations = [{ op: 'update', id: made.id, data: { title: 'Again' } }]
    await call('POST', `${path}/bulk?status=published`, { body: { operations } })
    assert.equal((await data('GET', record)).title, 'Again')
    await call('DELETE', record)
  })

  test('drafts, publishing, discarding and unpublishing', async () => {
    const draft = await data('POST', ARTICLES, { body: { status: 'draft' } })
    const path = `${ARTICLES}/${draft.id}`
    refused(await call('POST', `${path}/publish`), 422, 'not_publishable', 'title')
    await data('PATCH', path, { body: { title: 'Ready' } })
    const live = await call('POST', `${path}/publish`, { key: keys.write })
    assert.equal(live.status, 200)
    assert.equal(live.body.data.status, 'published')

    const changed = await data('PATCH', `${path}?status=draft`, { body: { title: 'Later' } })
    assert.equal(changed.status, 'changed')
    assert.equal((await data('GET', path)).title, 'Ready')
    assert.equal((await data('GET', path)).status, 'published')
    assert.equal((await data('GET', `${path}?status=draft`)).title, 'Later')
    const ids = async (status: string) =>
      (await data('GET', `${ARTICLES}?status=${status}&per_page=100`)).map(
        ({ id }: { id: number }) => id,
      )
    assert.ok((await ids('changed')).includes(draft.id))
    assert.ok(!(await ids('draft')).includes(draft.id))
    assert.ok((await ids('published')).includes(draft.id))

    const back = await data('POST', `${path}/discard-draft`)
    assert.deepEqual([back.title, back.status], ['Ready', 'published'])
    const off = await data('POST', `${path}/unpublish`)
    assert.deepEqual([off.status, off.published_at], ['draft', null])
    refused(await call('GET', path), 404, 'not_found')
    refused(await call('POST', `${ARTICLES}/999999/publish`), 404, 'not_found')
    refused(await call('POST', '/api/v1/comments/1/publish'), 404, 'route_not_found')
    refused(await call('PATCH', `${path}?status=open`, { body: {} }), 400, 'invalid_parameter')
  })

  test('languages: a translation is added, shown and removed', async () => {
    const en = await data('POST', '/api/v1/pages', { body: { title: 'Harbour' } })
    assert.equal(en.locale, 'en')
    const body = { document_id: en.document_id, locale: 'fr', title: 'Port' }
    const fr = await call('POST', '/api/v1/pages', { body })
    assert.equal(fr.status, 201, JSON.stringify(fr.body))
    assert.notEqual(fr.body.data.id, en.id)
    assert.equal(fr.body.data.document_id, en.document_id)
    refused(await call('POST', '/api/v1/pages', { body }), 409, 'locale_exists')
    const nowhere = { ...body, document_id: '0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001' }
    refused(await call('POST', '/api/v1/pages', { body: nowhere }), 422, 'invalid_reference')

    const document = `/api/v1/pages/${en.document_id}`
    assert.equal((await data('GET', document)).title, 'Harbour')
    assert.equal((await data('GET', `${document}?locale=fr`)).title, 'Port')
    assert.equal(
      (await data('PATCH', `${document}?locale=fr`, { body: { title: 'Le port' } })).title,
      'Le port',
    )
    assert.deepEqual(
      (await data('GET', '/api/v1/pages?locale=fr')).map(({ title }: { title: string }) => title),
      ['Le port'],
    )
    const german = await data('POST', '/api/v1/pages', { body: { title: 'Only English' } })
    const mixed = await data('GET', '/api/v1/pages?locale=fr&fallback_locale=en&sort=title')
    assert.deepEqual(
      mixed.map(({ title, locale }: { title: string; locale: string }) => [title, locale]),
      [
        ['Le port', 'fr'],
        ['Only English', 'en'],
      ],
    )
    assert.equal((await call('DELETE', `${document}?locale=fr`)).status, 204)
    assert.equal((await call('GET', `/api/v1/pages/${en.id}`)).status, 200)
    assert.equal((await call('DELETE', document)).status, 204)
    assert.equal((await call('GET', `/api/v1/pages/${en.id}`)).status, 404)
    assert.equal((await call('DELETE', `/api/v1/pages/${german.id}`)).status, 204)
  })

  test('a single type is made by PUT and has one record', async () => {
    const HOME = '/api/v1/homepage'
    refused(await call('GET', HOME), 404, 'not_found')
    refused(await call('PATCH', HOME, { body: { title: 'x' } }), 404, 'not_found')
    const { id: article } = await create()
    const made = await call('PUT', HOME, { body: { title: 'Home', featured_id: article } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const again = await call('PUT', HOME, { body: { title: 'House', featured_id: article } })
    assert.equal(again.status, 200)
    assert.equal(again.body.data.id, made.body.data.id)
    assert.equal((await data('PATCH', HOME, { body: { title: 'Flat' } })).featured_id, article)
    assert.equal((await data('GET', `${HOME}/featured`)).id, article)
    assert.equal((await data('POST', `${HOME}/unpublish`)).status, 'draft')
    assert.equal((await data('GET', `${HOME}?status=draft`)).title, 'Flat')
    refused(await call('GET', '/api/v1/homepages'), 404, 'route_not_found')
    refused(await call('POST', HOME, { body: {} }), 405, 'method_not_allowed')
    assert.equal((await call('DELETE', HOME)).status, 204)
    refused(await call('GET', HOME), 404, 'not_found')
  })

  test('components and their references are written and read', async () => {
    const { id: owner } = await author('Owner')
    const record = await create({ seo: { description: 'd', owner_id: owner } })
    assert.equal(record.seo.description, 'd')
    assert.equal(record.seo.owner_id, owner)
    const path = `${ARTICLES}/${record.id}`
    const shown = await data('GET', `${path}?include=seo.owner`)
    assert.equal(shown.seo.owner.name, 'Owner')
    const body = { seo: { owner_id: 999999 } }
    refused(await call('PATCH', path, { body }), 422, 'invalid_reference', 'seo.owner_id')
    assert.equal((await data('PATCH', path, { body: { seo: null } })).seo, null)
  })

  test('content-model 15: drafts are for level write; without a key nothing is read', async () => {
    const { id } = await create({ status: 'draft' })
    for (const status of ['draft', 'changed', 'all']) {
      for (const path of [`${ARTICLES}?status=${status}`, `${ARTICLES}/${id}?status=${status}`]) {
        const answer = await call('GET', path, { key: keys.read })
        refused(answer, 403, 'forbidden')
        assert.equal(answer.body.error.required, 'write')
        assert.equal((await call('GET', path, { key: null })).status, 401)
      }
    }
    refused(await call('GET', `${ARTICLES}/${id}`, { key: keys.read }), 404, 'not_found')
  })

  test('content-model 1: a type is usable at once and gone with its definition', async () => {
    const plants = { singularName: 'plant', pluralName: 'plants' }
    refused(await call('GET', '/api/v1/plants'), 404, 'route_not_found')
    await data('POST', '/api/v1/content-types', {
      body: { ...plants, attributes: { name: { type: 'string' } } },
    })
    const made = await call('POST', '/api/v1/plants', { body: { name: 'Oak' } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.body.data.id, 1)
    assert.equal((await call('GET', '/api/v1/plants')).body.meta.total, 1)
    assert.equal((await call('DELETE', '/api/v1/content-types/plant?force=true')).status, 204)
    refused(await call('GET', '/api/v1/plants'), 404, 'route_not_found')
  })
})
