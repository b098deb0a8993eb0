import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cmsSuite, picture } from './support.ts'

interface Block {
  readonly id: number
  readonly heading: string
}

export const components = cmsSuite('components and links in the CMS dialect', (cms) => {
  const { call, ok, create } = cms
  const article = { id: 0 }
  const blocks = async (query: string): Promise<readonly string[]> => {
    const { data } = await ok('GET', `/api/articles/${article.id}?${query}`)
    return data.attributes.blocks.map(({ heading }: Block) => heading)
  }

  before(async () => {
    const reviewer = await create('authors', { name: 'Rita' })
    article.id = await create('articles', {
      title: 'Built of blocks',
      blocks: ['b', 'C', 'a', 'd'].map((heading) => ({ heading })),
      seo: { description: 'found', reviewer },
    })
    await ok('POST', '/api/v1/content-types', {
      body: {
        ...{ singularName: 'crate', pluralName: 'crates', draftAndPublish: true },
        attributes: {
          name: { type: 'string' },
          lines: {
            ...{ type: 'component', component: 'default.block', repeatable: true },
            required: true,
          },
          pairs: {
            ...{ type: 'component', component: 'default.block', repeatable: true },
            ...{ required: true, min: 2 },
          },
        },
      },
    })
  })

  test('cms-rest 4.2: filters, sort, start and limit of populated components have an effect', async () => {
    for (const [query, expected] of [
      ['populate=blocks', ['b', 'C', 'a', 'd']],
      ['populate[blocks][sort]=heading', ['a', 'b', 'C', 'd']],
      ['populate[blocks][sort]=heading:desc', ['d', 'C', 'b', 'a']],
      [
        'populate[blocks][filters][heading][$in][0]=a&populate[blocks][filters][heading][$in][1]=b',
        ['b', 'a'],
      ],
      ['populate[blocks][limit]=2', ['b', 'C']],
      ['populate[blocks][start]=1&populate[blocks][limit]=2', ['C', 'a']],
      ['populate[blocks][sort]=heading&populate[blocks][start]=2', ['C', 'd']],
      ['populate[blocks][sort]=id:desc&populate[blocks][limit]=1', ['d']],
      ['populate[blocks][filters][heading]=nothing', []],
    ] as const) {
      assert.deepEqual(await blocks(query), expected, query)
    }
    const seo = async (query: string) =>
      (await ok('GET', `/api/articles/${article.id}?${query}`)).data.attributes.seo
    const byName = 'populate[seo][filters][reviewer][name]'
    assert.equal((await seo(`${byName}=Rita`))?.description, 'found')
    assert.equal(await seo(`${byName}=Ada`), null)
    for (const wrong of ['filters][nothing]=1', 'sort]=nothing', 'start]=x', 'limit]=x']) {
      const path = `/api/articles/${article.id}?populate[blocks][${wrong}`
      assert.equal((await call('GET', path)).status, 400, wrong)
    }
  })

  test('cms-rest 4.2: they have one on files and other languages, too', async () => {
    const form = new FormData()
    for (const name of ['a.png', 'c.png', 'b.png']) form.append('files', picture(name))
    const files: readonly Block[] = await ok('POST', '/api/upload', { form })
    const gallery = files.map(({ id }) => id)
    const id = await create('articles', { title: 'Shown', gallery })
    for (const [locale, title] of [
      ['fr', 'Montré'],
      ['fr-CH', 'Affiché'],
    ]) {
      await ok('POST', `/api/articles/${id}/localizations`, { body: { locale, title } })
    }
    const shown = async (part: string, query: string, member: string) => {
      const path = `/api/articles/${id}?${query.replaceAll('*', `populate[${part}]`)}`
      const found: readonly { attributes: Record<string, unknown> }[] = (await ok('GET', path)).data
        .attributes[part].data
      return found.map(({ attributes }) => attributes[member])
    }
    for (const [query, expected] of [
      ['*=true', ['a.png', 'c.png', 'b.png']],
      ['*[sort]=name:desc', ['c.png', 'b.png', 'a.png']],
      ['*[filters][name][$ne]=c.png', ['a.png', 'b.png']],
      ['*[start]=1&*[limit]=1', ['c.png']],
    ] as const) {
      assert.deepEqual(await shown('gallery', query, 'name'), expected, query)
    }
    for (const [query, expected] of [
      ['*=true', ['Montré', 'Affiché']],
      ['*[sort]=title', ['Affiché', 'Montré']],
      ['*[filters][locale]=fr', ['Montré']],
      ['*[start]=1', ['Affiché']],
      ['*[limit]=1&*[fields]=title', ['Montré']],
    ] as const) {
      assert.deepEqual(await shown('localizations', query, 'title'), expected, query)
    }
  })

  test('cms-rest 4.3: fields=* does not hide an unknown or hidden name beside it', async () => {
    assert.equal((await call('GET', '/api/articles?fields[0]=*&fields[1]=title')).status, 200)
    for (const name of ['nothing', 'pin', 'secret']) {
      const { status, body } = await call('GET', `/api/articles?fields[0]=*&fields[1]=${name}`)
      assert.equal(status, 400, name)
      assert.match(body.error.message, new RegExp(name))
    }
  })

  test('content-model 3.1: a required list of components may be empty; min says how many there are', async () => {
    const save = (data: object, query = '') =>
      call('POST', `/api/crates${query}`, { body: { data } })
    const two = [{ heading: '1' }, { heading: '2' }]
    const made = await save({ lines: [], pairs: two })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    for (const [data, path] of [
      [{ pairs: two }, 'lines'],
      [{ lines: null, pairs: two }, 'lines'],
      [{ lines: [], pairs: [] }, 'pairs'],
      [{ lines: [], pairs: [{ heading: '1' }] }, 'pairs'],
    ] as const) {
      const { status, body } = await save(data)
      assert.equal(status, 400, JSON.stringify(data))
      assert.deepEqual(body.error.details.errors[0].path, [path])
    }
    const draft = await save({ lines: [], pairs: two }, '?status=draft')
    const { id } = draft.body.data
    const published = await call('POST', `/api/v1/crates/${id}/publish`)
    assert.equal(published.status, 200, JSON.stringify(published.body))
  })

  test('cms-rest 6: a component without id is a new one, also when it says the same', async () => {
    const path = `/api/articles/${await create('articles', { title: 'Parts', blocks: [{ heading: 'x' }] })}`
    const own = async (): Promise<Block[]> =>
      (await ok('GET', `${path}?populate=blocks`)).data.attributes.blocks
    const [first] = await own()
    await ok('PUT', path, { body: { data: { blocks: [{ heading: 'x' }] } } })
    const [second] = await own()
    assert.notEqual(second?.id, first?.id)
    await ok('PUT', path, { body: { data: { blocks: [{ id: second?.id, heading: 'x' }] } } })
    assert.equal((await own())[0]?.id, second?.id)
  })

  test('cms-rest 8: indexes in the path of an error are texts', async () => {
    const body = { data: { title: 'Wrong', blocks: [{ heading: 'ok' }, { heading: 7 }, 'no'] } }
    const { status, body: answer } = await call('POST', '/api/articles', { body })
    assert.equal(status, 400)
    const paths = answer.error.details.errors.map(({ path }: { path: unknown }) => path)
    assert.deepEqual(paths, [['blocks', '2']])
  })

  test('content-model 4: a relation without the other end is shared by any number of owners', async () => {
    const relation = (kind: string, more = {}) => ({
      ...{ type: 'relation', relation: kind, target: 'author', ...more },
    })
    await ok('POST', '/api/v1/content-types', {
      body: {
        ...{ singularName: 'badge', pluralName: 'badges' },
        attributes: {
          one: relation('oneToOne'),
          many: relation('oneToMany'),
          paired: relation('oneToOne', { targetAttribute: 'badge' }),
        },
      },
    })
    const author = await create('authors', { name: 'Shared' })
    const links = { one: author, many: [author], paired: author }
    const badges = [await create('badges', links), await create('badges', links)]
    const shown = await Promise.all(
      badges.map(async (id) => (await ok('GET', `/api/badges/${id}?populate=*`)).data.attributes),
    )
    const idsOf = ({ one, many, paired }: (typeof shown)[number]) => [
      one.data?.id,
      many.data.map(({ id }: Block) => id),
      paired.data?.id,
    ]
    assert.deepEqual(shown.map(idsOf), [
      [author, [author], undefined],
      [author, [author], author],
    ])
    // Both ends declared, it belongs to one owner: what is shared now would be lost.
    const change = { attributes: { one: relation('oneToOne', { targetAttribute: 'holder' }) } }
    const refused = await call('PATCH', '/api/v1/content-types/badge', { body: change })
    assert.equal(refused.body.error?.code, 'would_lose_data')
    const lines: readonly { attribute: string; entriesAffected: number }[] =
      refused.body.error.changes
    assert.equal(lines.find(({ attribute }) => attribute === 'one')?.entriesAffected, 2)
    await ok('PATCH', '/api/v1/content-types/badge?force=true', { body: change })
    const after = (await ok('GET', `/api/authors/${author}?populate=holder`)).data.attributes
    assert.equal(after.holder.data.id, badges[0])
  })

  test('content-model 4: connect moves what is linked already, from either end', async () => {
    const comments = []
    for (const body of ['1', '2', '3']) comments.push(await create('comments', { body }))
    const [one, two, three] = comments
    const id = await create('articles', { title: 'Moved', comments })
    const order = async () => {
      const { data } = await ok('GET', `/api/articles/${id}?populate=comments`)
      return data.attributes.comments.data.map(({ id: own }: Block) => own)
    }
    const connect = (element: unknown) =>
      ok('PUT', `/api/articles/${id}`, { body: { data: { comments: { connect: [element] } } } })
    assert.deepEqual(await order(), [one, two, three])
    await connect(one)
    assert.deepEqual(await order(), [two, three, one])
    await connect({ id: one, position: { start: true } })
    assert.deepEqual(await order(), [one, two, three])
    await connect({ id: three, position: { before: two } })
    assert.deepEqual(await order(), [one, three, two])
  })
})
