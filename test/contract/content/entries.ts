import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { type Answer, relationTo, until } from '#test-kit'
import { reading } from './reading.ts'
import { storeSuite } from './support.ts'

const BATCH = {
  components: [
    {
      name: 'seo',
      displayName: 'SEO',
      attributes: { title: { type: 'string', required: true }, keywords: { type: 'tags' } },
    },
  ],
  contentTypes: [
    {
      singularName: 'topic',
      pluralName: 'topics',
      attributes: { name: { type: 'string' } },
    },
    {
      singularName: 'note',
      pluralName: 'notes',
      attributes: {
        text: { type: 'text' },
        topics: { type: 'relation', relation: 'manyToMany', target: 'topic' },
      },
    },
    {
      singularName: 'glove',
      pluralName: 'gloves',
      attributes: {
        other: relationTo('oneToOne', 'glove', { inversedBy: 'otherOf' }),
        otherOf: relationTo('oneToOne', 'glove', { mappedBy: 'other' }),
      },
    },
    {
      singularName: 'coin',
      pluralName: 'coins',
      localized: true,
      attributes: {
        mark: { type: 'string', unique: true, localized: false },
        number: { type: 'integer', unique: true, unversioned: true },
        weight: { type: 'integer', unversioned: true },
      },
    },
    {
      kind: 'singleType',
      singularName: 'home',
      pluralName: 'homes',
      localized: true,
      attributes: { title: { type: 'string' } },
    },
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true, maxLength: 200 },
        slug: { type: 'uid', targetField: 'title' },
        body: { type: 'richtext' },
        big: { type: 'biginteger' },
        price: { type: 'decimal', scale: 3 },
        rating: { type: 'float' },
        flag: { type: 'boolean' },
        day: { type: 'date' },
        clock: { type: 'time' },
        at: { type: 'datetime' },
        mail: { type: 'email' },
        data: { type: 'json' },
        words: { type: 'tags' },
        link: { type: 'link' },
        choice: { type: 'enumeration', enum: ['a', 'b'] },
        seo: { type: 'component', component: 'default.seo' },
        stock: { type: 'integer', unversioned: true, default: 0 },
      },
    },
  ],
}

const ARTICLES = '/api/v1/articles'

export const entries = storeSuite('entries over HTTP', ({ call, data }) => {
  const create = (body: object) => data('POST', ARTICLES, { body })
  const preview = (id: number) => data('GET', `/api/articles/${id}?publicationState=preview`)
  const live = (id: number) => data('GET', `/api/articles/${id}`, { key: null })

  before(async () => {
    await data('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
    await data('POST', '/api/v1/content-types/batch', { body: BATCH })
  })

  test('content-model 3: ids of two types both start at 1 and a deleted one is not given again', async () => {
    const topic = await data('POST', '/api/v1/topics', { body: { name: 'a' } })
    const note = await data('POST', '/api/v1/notes', { body: { text: 'a' } })
    assert.deepEqual([topic.id, note.id], [1, 1])
    assert.equal((await call('DELETE', '/api/v1/notes/1')).status, 204)
    assert.equal((await data('POST', '/api/v1/notes', { body: { text: 'b' } })).id, 2)
  })

  test('content-model 2: one entry has the same values in every dialect it is read by', async () => {
    const values = {
      title: 'Kräne & "Häfen" \u2028 😀',
      slug: 'Kraene_1.0~',
      body: '<p>ÉTÉ</p>',
      big: '-9223372036854775808',
      price: 12.345,
      rating: 0.1,
      flag: false,
      day: '2024-02-29',
      clock: '23:59:59.999',
      at: '2026-05-04T10:20:30.123Z',
      mail: 'иван@пример.рф',
      data: { z: [1, null, { y: '' }], a: true },
      words: ['b', 'a'],
      link: { url: '/about', title: null, target: '_blank', entry: null },
      choice: 'b',
      stock: 7,
    }
    const made = await create({ ...values, seo: { title: 'S', keywords: ['k'] } })
    const { attributes } = await live(made.id)
    const read = await data('GET', `${ARTICLES}/${made.id}`)
    for (const [name, value] of Object.entries(values)) {
      assert.deepEqual(read[name], value, `rest ${name}`)
      assert.deepEqual(attributes[name], value, `cms ${name}`)
    }
    assert.equal(JSON.stringify(attributes.data), JSON.stringify(values.data))
    const populated = await data('GET', `/api/articles/${made.id}?populate=seo`)
    assert.deepEqual(populated.attributes.seo, read.seo)
    const written = await data('PUT', `/api/articles/${made.id}`, {
      body: { data: { price: '0.125' } },
    })
    assert.equal(written.attributes.price, 0.125)
    assert.equal((await data('GET', `${ARTICLES}/${made.id}`)).price, 0.125)
  })

  test('content-model 4: a draft of a live entry shows nowhere until published, and discard restores', async () => {
    const { id } = await create({ title: 'Live', words: ['old'], seo: { title: 'old' } })
    const before = [await live(id), await data('GET', `${ARTICLES}/${id}`)]
    const body = { title: 'Draft', words: ['new'], seo: { title: 'new' } }
    const draft = await data('PATCH', `${ARTICLES}/${id}?status=draft`, { body })
    assert.deepEqual([draft.status, draft.title], ['changed', 'Draft'])
    assert.deepEqual(await live(id), before[0])
    assert.equal((await data('GET', `${ARTICLES}/${id}`)).title, 'Live')
    const list = await call('GET', '/api/articles?filters[title][$eq]=Draft', { key: null })
    assert.deepEqual(list.body.data, [])
    assert.equal((await preview(id)).attributes.title, 'Draft')
    const back = await data('POST', `${ARTICLES}/${id}/discard-draft`)
    assert.deepEqual([back.status, back.title], ['published', 'Live'])
    assert.equal((await preview(id)).attributes.title, 'Live')
    await data('PATCH', `${ARTICLES}/${id}?status=draft`, { body })
    assert.equal((await data('POST', `${ARTICLES}/${id}/publish`)).status, 'published')
    assert.deepEqual((await live(id)).attributes.words, ['new'])
  })

  test('content-model 5: publishing one locale does not publish another', async () => {
    const en = await create({ title: 'One', status: 'draft' })
    const { document_id } = en
    const fr = await create({ title: 'Un', status: 'draft', locale: 'fr', document_id })
    assert.notEqual(fr.id, en.id)
    await data('POST', `${ARTICLES}/${fr.id}/publish`)
    assert.equal((await call('GET', `/api/articles/${fr.id}`, { key: null })).status, 200)
    assert.equal((await call('GET', `/api/articles/${en.id}`, { key: null })).status, 404)
    const again = await call('POST', ARTICLES, { body: { title: 'x', locale: 'fr', document_id } })
    refused(again, 409, 'locale_exists')
  })

  test('content-model 6: without a required value it is saved as draft and refused on publish', async () => {
    const lacking = { body: 'x', seo: { keywords: ['k'] } }
    const direct = await call('POST', ARTICLES, { body: lacking })
    refused(direct, 400, 'validation_error', ['title', 'seo.title'])
    const { id } = await create({ ...lacking, status: 'draft' })
    const held = await call('POST', `${ARTICLES}/${id}/publish`)
    refused(held, 422, 'not_publishable', ['title', 'seo.title'])
    assert.equal((await preview(id)).attributes.publishedAt, null)
    const cms = await call('PUT', `/api/articles/${id}`, {
      body: { data: { publishedAt: '2026-01-01T00:00:00Z' } },
    })
    assert.equal(cms.status, 400)
    assert.deepEqual(
      cms.body.error.details.errors.map((error: { path: string[] }) => error.path),
      [['title'], ['seo', 'title']],
    )
  })

  test('content-model 7: an external id given again for the same type and locale is a conflict', async () => {
    const first = await create({ title: 'E', external_id: 'site-1' })
    const again = await call('POST', ARTICLES, { body: { title: 'F', external_id: 'site-1' } })
    refused(again, 409, 'conflict')
    const found = await call('GET', '/api/articles?filters[title][$eq]=F')
    assert.deepEqual(found.body.data, [])
    const fr = await create({ title: 'G', external_id: 'site-1', locale: 'fr' })
    assert.notEqual(fr.id, first.id)
    await data('POST', '/api/v1/notes', { body: { external_id: 'site-1' } })
  })

  test('content-model 8: paths follow parents and slugs, former ones lead there, and a loop is refused', async () => {
    const top = await create({ title: 'Top' })
    const mid = await create({ title: 'Mid', tree_parent_id: top.document_id })
    const leaf = await create({ title: 'Leaf', tree_parent_id: mid.document_id })
    assert.equal(leaf.path, '/articles/top/mid/leaf')
    const tagBefore = (await call('GET', `${ARTICLES}/${leaf.id}`)).headers.get('etag')
    await data('PATCH', `${ARTICLES}/${top.id}`, { body: { slug: 'peak' } })
    const moved = await call('GET', `${ARTICLES}/${leaf.id}`)
    assert.equal(moved.body.data.path, '/articles/peak/mid/leaf')
    assert.notEqual(moved.headers.get('etag'), tagBefore)
    await data('PATCH', `${ARTICLES}/${mid.id}`, { body: { tree_parent_id: null } })
    assert.equal((await data('GET', `${ARTICLES}/${leaf.id}`)).path, '/articles/mid/leaf')
    for (const former of ['/articles/top/mid/leaf', '/articles/peak/mid/leaf']) {
      const { status, body } = await call('GET', `/router/translate-path?path=${former}`)
      assert.equal(status, 200, former)
      const redirect = [{ from: former, to: '/articles/mid/leaf', status: '301' }]
      assert.deepEqual([body.entity.uuid, body.redirect], [leaf.document_id, redirect])
    }
    const loop = { tree_parent_id: leaf.document_id }
    const refusal = await call('PATCH', `${ARTICLES}/${mid.id}`, { body: loop })
    assert.equal(refusal.status, 422)
    assert.equal((await data('GET', `${ARTICLES}/${mid.id}`)).tree_parent_id, null)
  })

  test('content-model 9: uids of accented and foreign titles are made, unique and safe in URLs', async () => {
    const titles = ['Été à Paris', 'Été à Paris', '東京タワー', 'مرحبا', '!!!', 'ПРИВЕТ', 'ß']
    const made = []
    for (const title of titles) made.push(await create({ title }))
    const slugs = made.map(({ slug }) => slug)
    assert.deepEqual(slugs.slice(0, 2), ['ete-a-paris', 'ete-a-paris-2'])
    assert.equal(new Set(slugs).size, titles.length)
    for (const slug of slugs) assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    const clash = await call('POST', ARTICLES, { body: { title: 'x', slug: 'ete-a-paris' } })
    refused(clash, 409, 'conflict')
    const cms = await call('POST', '/api/articles', {
      body: { data: { title: 'x', slug: 'ete-a-paris' } },
    })
    assert.deepEqual([cms.status, cms.body.error.details.errors[0].path], [400, ['slug']])
  })

  test('content-model 12: relations take every form in the documented order, unknown ids nothing', async () => {
    const topics: { id: number; document_id: string }[] = []
    for (const name of ['a', 'b', 'c', 'd']) {
      topics.push(await data('POST', '/api/v1/topics', { body: { name } }))
    }
    const [a, b, c, d] = topics.map(({ id }) => id)
    const note = await data('POST', '/api/v1/notes', { body: { topics: [b, a] } })
    const path = `/api/v1/notes/${note.id}`
    const put = (input: unknown) => data('PATCH', path, { body: { topics: input } })
    const order = async () => {
      const { topics: list } = await data('GET', `${path}?include=topics`)
      return list.map(({ id }: { id: number }) => id)
    }
    assert.deepEqual(await order(), [b, a])
    await put({ connect: [{ id: c, position: { before: a } }, topics[3]?.document_id] })
    assert.deepEqual(await order(), [b, c, a, d])
    await put({ disconnect: [c], connect: [{ id: d, position: { start: true } }] })
    assert.deepEqual(await order(), [d, b, a])
    await data('PUT', `/api/notes/${note.id}`, { body: { data: { topics: { set: [c, b] } } } })
    assert.deepEqual(await order(), [c, b])
    const unknown = await call('PATCH', path, { body: { text: 'never', topics: [a, 9_999] } })
    refused(unknown, 422, 'invalid_reference')
    const cms = await call('PUT', `/api/notes/${note.id}`, { body: { data: { topics: [9_999] } } })
    assert.equal(cms.status, 400)
    assert.match(cms.body.error.message, /1 .*api::topic\.topic/)
    const beside = { connect: [{ id: a, position: { after: d } }] }
    assert.equal((await call('PATCH', path, { body: { topics: beside } })).status, 422)
    assert.deepEqual(await order(), [c, b])
    assert.notEqual((await data('GET', path)).text, 'never')
    await put({ ...beside, options: { strict: false } })
    assert.deepEqual(await order(), [c, b, a])
    await put(null)
    assert.deepEqual(await order(), [])
  })

  test('content-model 4: of several that link one target at once, from either end, one has it', async () => {
    const glove = async () => (await data('POST', '/api/v1/gloves', { body: {} })).id
    for (let round = 0; round < 5; round++) {
      const [target, ...others] = [await glove(), await glove(), await glove(), await glove()]
      const link = (id: number, body: object) => call('PATCH', `/api/v1/gloves/${id}`, { body })
      const answers = await Promise.all([
        link(others[0], { other: target }),
        link(others[1], { other: target }),
        link(target, { otherOf: others[2] }),
      ])
      const statuses = answers.map(({ status }) => status)
      assert.deepEqual(statuses, [200, 200, 200], JSON.stringify(answers[0]?.body))
      const shown = await Promise.all(others.map((id) => data('GET', `/api/v1/gloves/${id}`)))
      const owners = shown.filter(({ other_id }) => other_id === target).map(({ id }) => id)
      assert.equal(owners.length, 1, JSON.stringify(shown))
      assert.equal((await data('GET', `/api/v1/gloves/${target}`)).otherOf_id, owners[0])
    }
  })

  test('content-model 1: a single is one document, in whichever languages it is made at once', async () => {
    const codes = ['en', 'fr']
    for (let round = 0; round < 5; round++) {
      const writes = [...codes, ...codes, ...codes].map((code, at) => {
        const title = `${code} ${at}`
        if (at < 2) return call('PUT', `/api/v1/home?locale=${code}`, { body: { title } })
        if (at < 4) return call('PUT', `/api/home?locale=${code}`, { body: { data: { title } } })
        const query = `mutation { updateHome(locale: "${code}", data: { title: "${title}" }) { data { id } } }`
        return call('POST', '/graphql', { body: { query } })
      })
      for (const { status, body } of await Promise.all(writes)) {
        assert.ok(status < 300 && body.errors === undefined, JSON.stringify(body))
      }
      const asked = codes.map((code) => data('GET', `/api/v1/home?locale=${code}`))
      const documents = (await Promise.all(asked)).map(({ document_id }) => document_id)
      assert.equal(new Set(documents).size, 1, JSON.stringify(documents))
      assert.equal((await call('DELETE', '/api/v1/home')).status, 204)
      assert.equal((await call('GET', '/api/home?locale=all')).status, 404)
    }
  })

  test('content-model 1: who chooses an id for a single cannot make a second document of it', async () => {
    const post = (prefix: string, id: string) =>
      call('POST', `${prefix}/jsonapi/node/home`, {
        headers: { 'content-type': 'application/vnd.api+json' },
        body: { data: { type: 'node--home', id, attributes: { title: 'x' } } },
      })
    const [first, second] = [randomUUID(), randomUUID()]
    assert.equal((await post('', first)).status, 201)
    for (const prefix of ['', '/fr']) {
      const { status, body } = await post(prefix, second)
      assert.equal(status, 409, JSON.stringify(body))
      assert.equal(body.errors[0].source.pointer, '/data/id')
      assert.match(body.errors[0].detail, new RegExp(`${first}.*one document`))
    }
    assert.equal((await data('GET', '/api/home?locale=all')).length, 1)
  })

  test('content-model 7: a locale that is removed while entries are made in it has none, or stays', async () => {
    for (let round = 0; round < 5; round++) {
      await data('POST', '/api/v1/locales', { body: { code: 'nl', name: 'Dutch' } })
      const make = () => call('POST', ARTICLES, { body: { title: 'Nieuw', locale: 'nl' } })
      const [one, removal, two] = await Promise.all([
        make(),
        call('DELETE', '/api/v1/locales/nl'),
        make(),
      ])
      const made = [one, two].filter(({ status }) => status === 201)
      // Whoever had planned by the locale is told to try again.
      for (const { status, body } of [one, two]) {
        assert.ok(
          [201, 400].includes(status) || body.error.code === 'type_changed',
          JSON.stringify(body),
        )
      }
      assert.equal(removal.status, made.length > 0 ? 409 : 204, JSON.stringify(removal.body))
      if (made.length > 0) await call('DELETE', '/api/v1/locales/nl?force=true')
    }
  })

  test('content-model 3: what a document has once is unique over all languages, also of several made at once', async () => {
    const make = (body: object, locale: string) =>
      call('POST', '/api/v1/coins', { body: { ...body, locale } })
    for (let round = 1; round <= 4; round++) {
      for (const value of [{ mark: `m${round}` }, { number: round }]) {
        const answers = await Promise.all(['en', 'fr', 'en', 'fr'].map((code) => make(value, code)))
        const statuses = answers.map(({ status }) => status).sort()
        assert.deepEqual(statuses, [201, 409, 409, 409], JSON.stringify(value))
      }
    }
    const free = await data('POST', '/api/v1/coins', { body: { number: 100, locale: 'fr' } })
    refused(
      await call('PATCH', `/api/v1/coins/${free.id}`, { body: { number: 1 } }),
      409,
      'conflict',
    )
    const translated = { document_id: free.document_id, locale: 'en' }
    assert.equal((await data('POST', '/api/v1/coins', { body: translated })).number, 100)
    for (const locale of ['en', 'fr']) assert.equal((await make({ weight: 7 }, locale)).status, 201)
    const unique = { attributes: { weight: { type: 'integer', unversioned: true, unique: true } } }
    const clash = await call('PATCH', '/api/v1/content-types/coin', { body: unique })
    refused(clash, 409, 'conflict')
    assert.deepEqual(clash.body.error.values, [7])
  })

  test('content-model 18: a changed unversioned value shows at once in every dialect, locale and copy', async () => {
    const en = await create({ title: 'Stock', stock: 5 })
    const fr = await create({ title: 'Stocks', locale: 'fr', document_id: en.document_id })
    assert.equal(fr.stock, 5)
    await data('PATCH', `${ARTICLES}/${en.id}?status=draft`, { body: { title: 'Draft', stock: 9 } })
    for (const id of [en.id, fr.id]) {
      assert.equal((await live(id)).attributes.stock, 9)
      assert.equal((await preview(id)).attributes.stock, 9)
      assert.equal((await data('GET', `${ARTICLES}/${id}`)).stock, 9)
    }
    assert.equal((await live(en.id)).attributes.title, 'Stock')
    await data('PUT', `/api/articles/${fr.id}`, { body: { data: { stock: 1 } } })
    assert.equal((await live(en.id)).attributes.stock, 1)
    assert.equal((await preview(en.id)).attributes.title, 'Draft')
    const put = await data('PUT', `${ARTICLES}/${en.id}`, { body: { title: 'Put' } })
    assert.equal(put.stock, 1)
  })

  reading({ call, data })

  test('content-model 3.1: a default that is written as a value may be gives what the value would give', async () => {
    const cases = [
      ['decimal', '1.50', 1.5],
      ['float', '1e3', 1000],
      ['integer', '5', 5],
      ['boolean', 'true', true],
      ['time', '10:00:00', '10:00:00.000'],
      ['datetime', '2026-01-31T11:00:00+01:00', '2026-01-31T10:00:00.000Z'],
    ] as const
    const attributes = Object.fromEntries(
      cases.map(([type, given]) => [`own_${type}`, { type, default: given }]),
    )
    await data('POST', '/api/v1/components', { body: { name: 'given', attributes } })
    const part = { type: 'component', component: 'default.given' }
    const body = { singularName: 'gift', pluralName: 'gifts', attributes: { ...attributes, part } }
    await data('POST', '/api/v1/content-types', { body })
    const made = await data('POST', '/api/v1/gifts', { body: { part: {} } })
    const sent = Object.fromEntries(cases.map(([type, given]) => [`own_${type}`, given]))
    const same = await data('POST', '/api/v1/gifts', { body: { ...sent, part: sent } })
    for (const [type, , wanted] of cases) {
      const name = `own_${type}`
      assert.deepEqual([made[name], made.part[name]], [wanted, wanted])
      assert.deepEqual([same[name], same.part[name]], [wanted, wanted])
    }
  })

  test('a write that changes nothing makes no version and no event', async () => {
    const from = (await call('GET', '/api/v1/changes?after=now')).body.meta.next_after
    const same = { title: 'Same', words: ['a'], seo: { title: 's' } }
    const { id } = await create(same)
    const before = await call('GET', `${ARTICLES}/${id}`)
    for (const method of ['PUT', 'PATCH']) {
      assert.equal((await call(method, `${ARTICLES}/${id}`, { body: same })).status, 200)
    }
    const after = await call('GET', `${ARTICLES}/${id}`)
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
    assert.equal((await call('DELETE', `${ARTICLES}/${id}`)).status, 204)
    const events = await until(async () => {
      const changes = await data('GET', `/api/v1/changes?after=${from}&types=article`)
      const own = changes.filter((change: { id: number }) => change.id === id)
      const names = own.map(({ event }: { event: string }) => event)
      return names.includes('article.deleted') && names
    })
    assert.deepEqual(events, ['article.created', 'article.published', 'article.deleted'])
  })

  function refused({ status, body }: Answer, expected: number, code: string, fields?: string[]) {
    assert.equal(status, expected, JSON.stringify(body))
    assert.equal(body.error.code, code, JSON.stringify(body))
    if (!fields) return
    const named = body.error.details.map((detail: { field: string }) => detail.field)
    assert.deepEqual(named, fields)
  }
})
