import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, until } from '#test-kit'
import { restSuite } from './support.ts'

const NONE = 'revision_not_found'

interface Listed {
  readonly id: number
  readonly saved_at: string
  readonly saved_by: number | null
  readonly is_current: boolean
  readonly is_live: boolean
  readonly events: readonly {
    readonly event: string
    readonly at: string
    readonly by: number | null
  }[]
}

/** Console contract §4. */
export const revisions = restSuite('revisions', ({ call, data, keys }) => {
  const ARTICLES = '/api/v1/articles'

  const create = (body: object) => data('POST', ARTICLES, { body })
  const patch = (id: number, body: object, query = '') =>
    data('PATCH', `${ARTICLES}/${id}${query}`, { body })
  const list = async (id: number | string, of = ARTICLES): Promise<Listed[]> => {
    const answer = await call('GET', `${of}/${id}/revisions`, { key: keys.write })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body.meta.total, answer.body.data.length)
    return answer.body.data
  }
  const recordOf = async (id: number, revision: number | undefined) =>
    (await data('GET', `${ARTICLES}/${id}/revisions/${revision}`)).record
  const restore = (id: number, revision: number | undefined, more = {}) =>
    call('POST', `${ARTICLES}/${id}/revisions/${revision}/restore`, { key: keys.write, ...more })

  function refused({ status, body }: Answer, expected: number, code: string) {
    assert.equal(status, expected, JSON.stringify(body))
    assert.equal(body.error.code, code)
  }

  test('console 4: former values are listed with who and when, newest first, and read whole', async () => {
    const ann = await data('POST', '/api/v1/authors', { body: { name: 'Ann' } })
    const red = await data('POST', '/api/v1/categories', { body: { name: 'red' } })
    const blue = await data('POST', '/api/v1/categories', { body: { name: 'blue' } })
    const { id } = await create({
      ...{ title: 'One', summary: 'first', price: 1.5, author_id: ann.id },
      ...{
        body: { value: '# Hi', format: 'markdown' },
        seo: { description: 'd1', owner_id: ann.id },
      },
      categories: [blue.id, red.id],
    })
    await patch(id, { title: 'Two', author_id: null, categories: [], seo: null, body: null })
    const { id: me } = await data('GET', '/api/v1/me')
    await patch(id, { title: 'Three' })
    const all = await list(id)
    assert.deepEqual(
      all.map(({ is_current, is_live }) => [is_current, is_live]),
      [
        [true, true],
        [false, false],
        [false, false],
      ],
    )
    assert.ok(all.every(({ saved_at }) => /^\d{4}-.*Z$/.test(saved_at)))
    assert.ok(all.every(({ saved_by }) => saved_by === me || typeof saved_by === 'number'))
    const [third, second, first] = all
    assert.ok(Number(third?.id) > Number(second?.id) && Number(second?.id) > Number(first?.id))
    assert.equal((await recordOf(id, third?.id)).title, 'Three')
    assert.equal((await recordOf(id, second?.id)).title, 'Two')
    const was = await recordOf(id, first?.id)
    assert.deepEqual(
      [was.title, was.summary, was.price, was.author_id, was.body, was.slug],
      ['One', 'first', 1.5, ann.id, '# Hi', 'one'],
    )
    assert.deepEqual(
      was.categories.map((each: { id: number }) => each.id),
      [blue.id, red.id],
    )
    assert.deepEqual([was.seo.description, was.seo.owner_id], ['d1', ann.id])
    assert.equal(was.notes, undefined)
  })

  test('console 4: restoring makes a working copy, leaves what is live, and can be guarded', async () => {
    const { id } = await create({ title: 'Live one', summary: 'a', notes: 'private one' })
    await patch(id, { title: 'Live two', summary: 'b', notes: 'private two' })
    const [, first] = await list(id)
    const read = await call('GET', `${ARTICLES}/${id}?status=all`, { key: keys.write })
    const etag = read.headers.get('etag') ?? ''
    const stale = await restore(id, first?.id, { headers: { 'if-match': '"1-1-aaaaaaaa"' } })
    refused(stale, 412, 'precondition_failed')
    const done = await restore(id, first?.id, { headers: { 'if-match': etag } })
    assert.equal(done.status, 200, JSON.stringify(done.body))
    assert.deepEqual(done.body.meta.warnings, [])
    assert.deepEqual(
      [done.body.data.title, done.body.data.summary, done.body.data.status],
      ['Live one', 'a', 'changed'],
    )
    assert.equal((await data('GET', `${ARTICLES}/${id}`)).title, 'Live two')
    await data('POST', `${ARTICLES}/${id}/publish`)
    assert.equal((await data('GET', `${ARTICLES}/${id}`)).title, 'Live one')
    assert.equal((await list(id)).length, 3)
    // Once more, it changes nothing and makes no revision.
    const again = await restore(id, (await list(id))[0]?.id)
    assert.equal(again.status, 200)
    assert.equal((await list(id)).length, 3)
  })

  test('console 4: a draft that was discarded can be got back', async () => {
    const { id } = await create({ title: 'Kept' })
    await patch(id, { title: 'Thrown away' }, '?status=draft')
    const [draft, live] = await list(id)
    assert.deepEqual([draft?.is_current, draft?.is_live, live?.is_live], [true, false, true])
    await data('POST', `${ARTICLES}/${id}/discard-draft`)
    const after = await list(id)
    assert.deepEqual(
      after.map((each) => [each.id, each.is_current]),
      [
        [draft?.id, false],
        [live?.id, true],
      ],
    )
    const done = await restore(id, draft?.id)
    assert.equal(done.body.data.title, 'Thrown away', JSON.stringify(done.body))
  })

  test('console 4: who wrote the values is told also when another has published them', async () => {
    const { id } = await create({ title: 'Mine', status: 'draft' })
    const [mine] = await list(id)
    const writer = await call('POST', `${ARTICLES}/${id}/publish`, { key: keys.write })
    assert.equal(writer.status, 200)
    const [still] = await list(id)
    const told = still?.events ?? []
    const { user: me } = await data('GET', '/api/v1/me')
    const { user } = (await call('GET', '/api/v1/me', { key: keys.write })).body.data
    assert.deepEqual(
      told.map(({ event, by }) => [event, by]),
      [
        ['create', me.id],
        ['publish', user.id],
      ],
    )
    assert.deepEqual(still, { ...mine, is_live: true, events: told })
    await patch(id, { title: 'Next' })
    const [, kept] = await list(id)
    assert.deepEqual(kept, { ...mine, is_current: false, is_live: false, events: told })
  })

  test('console §3: each revision tells what happened to it: saves, publications, a discarded draft, a restored one', async () => {
    const { id } = await create({ title: 'One', status: 'draft' })
    const eventsOf = async () =>
      (await list(id)).map(({ events }) => events.map(({ event }) => event).join(' '))
    await data('POST', `${ARTICLES}/${id}/publish`)
    await data('POST', `${ARTICLES}/${id}/unpublish`)
    assert.deepEqual(await eventsOf(), ['create publish unpublish'])
    await patch(id, { title: 'Two' })
    await data('POST', `${ARTICLES}/${id}/publish`)
    assert.deepEqual(await eventsOf(), ['update publish', 'create publish unpublish'])
    await patch(id, { title: 'Three' }, '?status=draft')
    await data('POST', `${ARTICLES}/${id}/discard-draft`)
    assert.deepEqual(await eventsOf(), [
      ...['update', 'update publish discard'],
      'create publish unpublish',
    ])
    const [, , first] = await list(id)
    assert.equal((await restore(id, first?.id)).status, 200)
    assert.deepEqual(await eventsOf(), [
      ...['restore', 'update', 'update publish discard'],
      'create publish unpublish',
    ])
    const atMs = Date.now() + 3_000
    await patch(id, { publish_at: new Date(atMs).toISOString() }, '?status=draft')
    const [now] = await until(
      async () => {
        const all = await list(id)
        return all[0]?.is_live && all
      },
      { withinMs: 20_000, what: 'the time to come' },
    )
    assert.deepEqual(
      now?.events.map(({ event, by }) => [event, by === null]),
      [
        ['restore', false],
        ['update', false],
        ['scheduled_publish', true],
      ],
    )
    // So many are kept, with how it came about.
    for (let n = 0; n < 12; n++) {
      await data('POST', `${ARTICLES}/${id}/${n % 2 === 0 ? 'unpublish' : 'publish'}`)
    }
    const [many] = await eventsOf()
    assert.equal(many?.split(' ').length, 12)
    assert.match(many ?? '', /^restore .*publish$/)
  })

  test('console 4: the last ten are kept, or as many as the setting says; the worker prunes', async () => {
    const { id } = await create({ title: 'v0' })
    for (let n = 1; n <= 13; n++) await patch(id, { title: `v${n}` })
    const all = await list(id)
    assert.equal(all.length, 10)
    assert.equal((await recordOf(id, all[9]?.id)).title, 'v4')
    await data('PATCH', '/api/v1/settings/content', { body: { revisions: 3 } })
    try {
      const few = await until(async () => {
        const found = await list(id)
        return found.length === 3 && found
      })
      assert.deepEqual(few, all.slice(0, 3))
      refused(await call('GET', `${ARTICLES}/${id}/revisions/${all[5]?.id}`), 404, NONE)
      refused(await restore(id, all[5]?.id), 404, NONE)
      await data('PATCH', '/api/v1/settings/content', { body: { revisions: 0 } })
      await until(async () => (await list(id)).length === 1)
      await patch(id, { title: 'not kept' })
      assert.equal((await list(id)).length, 1)
    } finally {
      await data('PATCH', '/api/v1/settings/content', { body: { revisions: null } })
    }
  })

  test('console 4: what does not fit any more is named, and the rest is restored', async () => {
    const type = {
      singularName: 'recipe',
      pluralName: 'recipes',
      attributes: {
        title: { type: 'string' },
        yields: { type: 'integer' },
        level: { type: 'enumeration', enum: ['easy', 'hard'] },
        origin: { type: 'string' },
        steps: { type: 'dynamiczone', components: ['default.seo', 'default.step'] },
        author: { type: 'relation', relation: 'manyToOne', target: 'author' },
      },
    }
    const step = { name: 'step', attributes: { text: { type: 'string' } } }
    const batch = { contentTypes: [type], components: [step] }
    await data('POST', '/api/v1/content-types/batch', { body: batch })
    const gone = await data('POST', '/api/v1/authors', { body: { name: 'Gone' } })
    const { id } = await data('POST', '/api/v1/recipes', {
      body: {
        ...{ title: 'Bread', yields: 4, level: 'hard', origin: 'France', author_id: gone.id },
        steps: [
          { __component: 'default.step', text: 'Knead' },
          { __component: 'default.seo', description: 'crust' },
          { __component: 'default.step', text: 'Bake' },
        ],
      },
    })
    await data('PATCH', `/api/v1/recipes/${id}`, {
      body: {
        title: 'Cake',
        yields: 8,
        level: 'easy',
        origin: 'Spain',
        author_id: null,
        steps: [],
      },
    })
    await data('PATCH', `/api/v1/recipes/${id}`, { body: { title: 'Pie' } })
    await call('DELETE', `/api/v1/authors/${gone.id}`)
    const changed = await call('PATCH', '/api/v1/content-types/recipe?force=true', {
      body: {
        attributes: {
          name: { type: 'string', renamedFrom: 'title' },
          title: null,
          origin: null,
          level: { type: 'enumeration', enum: ['easy'] },
          minutes: { type: 'integer' },
        },
      },
    })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    await data('PATCH', `/api/v1/recipes/${id}`, { body: { minutes: 30 } })
    const all = await list(id, '/api/v1/recipes')
    const first = all.at(-1)?.id
    const shown = await call('GET', `/api/v1/recipes/${id}/revisions/${first}`)
    const fields = (answer: Answer) =>
      answer.body.meta.warnings.map((each: { field: string }) => each.field).sort()
    assert.deepEqual(fields(shown), ['author', 'level', 'origin'])
    assert.equal(shown.body.data.record.name, 'Bread')
    const steps = ['Knead', 'crust', 'Bake']
    const saidIn = (list: { text?: string; description?: string }[]) =>
      list.map((each) => each.text ?? each.description)
    assert.deepEqual(saidIn(shown.body.data.record.steps), steps)
    const done = await call('POST', `/api/v1/recipes/${id}/revisions/${first}/restore`)
    assert.equal(done.status, 200, JSON.stringify(done.body))
    assert.deepEqual(fields(done), ['author', 'level', 'origin'])
    const { name, yields, level, minutes, author_id } = done.body.data
    // What the revision does not know, or cannot be any more, stays.
    assert.deepEqual([name, yields, level, minutes, author_id], ['Bread', 4, 'easy', 30, null])
    assert.deepEqual(saidIn(done.body.data.steps), steps)

    // What still is a choice is restored, whatever has become of the others.
    await data('PATCH', `/api/v1/recipes/${id}`, { body: { level: null } })
    const second = all.at(-2)?.id
    const easy = await call('POST', `/api/v1/recipes/${id}/revisions/${second}/restore`)
    assert.deepEqual([easy.body.data.level, fields(easy)], ['easy', ['origin']])
  })

  test('console 4: revisions go with the entry, each language has its own, singles have them too', async () => {
    const { id } = await create({ title: 'Short life' })
    await patch(id, { title: 'Shorter' })
    await call('DELETE', `${ARTICLES}/${id}`)
    refused(await call('GET', `${ARTICLES}/${id}/revisions`), 404, 'not_found')
    const page = await data('POST', '/api/v1/pages', { body: { title: 'Hello' } })
    const { document_id } = page
    const french = await data('POST', '/api/v1/pages', {
      body: { document_id, locale: 'fr', title: 'Bonjour' },
    })
    await data('PATCH', `/api/v1/pages/${french.id}`, { body: { title: 'Salut' } })
    assert.equal((await list(page.id, '/api/v1/pages')).length, 1)
    assert.equal((await list(french.id, '/api/v1/pages')).length, 2)
    const byDocument = await call('GET', `/api/v1/pages/${document_id}/revisions?locale=fr`)
    assert.equal(byDocument.body.data.length, 2)
    await call('PUT', '/api/v1/homepage', { body: { title: 'Home' } })
    await call('PATCH', '/api/v1/homepage', { body: { title: 'Sweet home' } })
    const home = await call('GET', '/api/v1/homepage/revisions')
    assert.equal(home.body.data.length, 2, JSON.stringify(home.body))
    const back = await call('POST', `/api/v1/homepage/revisions/${home.body.data[1].id}/restore`)
    assert.equal(back.body.data.title, 'Home', JSON.stringify(back.body))
  })

  test('console 4: what all languages share is revised in each, what lies outside revisions in none', async () => {
    await data('POST', '/api/v1/content-types', {
      body: {
        ...{ singularName: 'flyer', pluralName: 'flyers', localized: true, draftAndPublish: true },
        attributes: {
          title: { type: 'string', localized: true },
          copies: { type: 'integer', localized: false },
          printed: { type: 'integer', unversioned: true },
        },
      },
    })
    const FLYERS = '/api/v1/flyers'
    const flyer = await data('POST', FLYERS, { body: { title: 'Hello', copies: 1, printed: 0 } })
    const { document_id } = flyer
    const french = await data('POST', FLYERS, { body: { document_id, locale: 'fr', title: 'Oui' } })
    const before = await list(french.id, FLYERS)
    await data('PATCH', `${FLYERS}/${flyer.id}`, { body: { printed: 5 } })
    assert.deepEqual(await list(french.id, FLYERS), before)
    await data('PATCH', `${FLYERS}/${french.id}?status=draft`, { body: { title: 'Non' } })
    await data('PATCH', `${FLYERS}/${flyer.id}`, { body: { copies: 2 } })
    const said = []
    for (const { id, is_live } of await list(french.id, FLYERS)) {
      const { record } = await data('GET', `${FLYERS}/${french.id}/revisions/${id}`)
      said.push(`${record.title} ${record.copies} ${is_live}`)
    }
    assert.deepEqual(said.sort(), ['Non 1 false', 'Non 2 false', 'Oui 1 false', 'Oui 2 true'])
    await call('DELETE', '/api/v1/content-types/flyer?force=true')
  })

  test('console 4: revisions need the level write; unknown ones and other methods are refused', async () => {
    const { id } = await create({ title: 'Secret drafts' })
    await patch(id, { title: 'Public' })
    const [now] = await list(id)
    for (const path of ['', `/${now?.id}`]) {
      const answer = await call('GET', `${ARTICLES}/${id}/revisions${path}`, { key: keys.read })
      assert.equal(answer.status, 403, path)
    }
    const read = await restore(id, now?.id, { key: keys.read })
    assert.equal(read.status, 403)
    for (const path of ['999999999', '0', 'x', `${now?.id}/undo`, `${now?.id}/restore/now`]) {
      assert.equal((await call('GET', `${ARTICLES}/${id}/revisions/${path}`)).status, 404, path)
    }
    refused(await restore(id, 999_999_999), 404, NONE)
    const posted = await call('POST', `${ARTICLES}/${id}/revisions`, { body: {} })
    assert.equal(posted.status, 405)
    const named = await call('PATCH', '/api/v1/content-types/article', {
      body: { attributes: { revisions: { type: 'string' }, publish_at: { type: 'datetime' } } },
    })
    assert.equal(named.status, 400, JSON.stringify(named.body))
    assert.deepEqual(
      named.body.error.details.map((each: { code: string }) => each.code),
      ['reserved', 'reserved'],
    )
  })
})
