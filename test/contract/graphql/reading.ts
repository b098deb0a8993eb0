import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

const DOC3 = `query Articles($locale: I18NLocaleCode, $sort: [String]) {
  articles(locale: $locale, pagination: { page: 1, pageSize: 2 }, sort: $sort,
    filters: { title: { contains: "a" } }) {
    data { id attributes { title author { data { id attributes { name } } } } }
    meta { pagination { total page pageSize pageCount } }
  }
}`

export const reading = graphqlSuite(
  'reading the CMS shape',
  ({ create, data, ask, refusal, keys, call, ok }) => {
    const at = { ada: 0, article: 0, draft: 0, french: 0 }

    before(async () => {
      at.ada = await create('authors', { name: 'Ada' })
      const tags = [await create('tags', { name: 'x' }), await create('tags', { name: 'y' })]
      const vault = await create('vaults', { name: 'gold' })
      const seo = { description: 'All', reviewer: at.ada }
      at.article = await create('articles', {
        ...{ title: 'Banana', rank: 2, kind: 'long-read', author: at.ada, vault },
        ...{ categories: tags, seo, blocks: [seo, { description: 'Two' }] },
      })
      await create('articles', { title: 'Mango', rank: 1, author: at.ada })
      await create('articles', { title: 'Plum', rank: 3 })
      await create('articles', { title: 'Papaya', rank: 4, kind: '3d' })
      at.draft = await create('articles', { title: 'Draft a', publishedAt: null })
      const variant = { locale: 'fr', title: 'Banane' }
      at.french = (
        await ok('POST', `/api/articles/${at.article}/localizations`, { body: variant })
      ).id
    })

    test('graphql 3: the query of Doc 3 answers data and meta, with sort as text and as a list', async () => {
      const expected = {
        data: [
          { id: '4', attributes: { title: 'Papaya', author: { data: null } } },
          {
            id: '2',
            attributes: {
              title: 'Mango',
              author: { data: { id: String(at.ada), attributes: { name: 'Ada' } } },
            },
          },
        ],
        meta: { pagination: { total: 3, page: 1, pageSize: 2, pageCount: 2 } },
      }
      const literal = DOC3.replace('sort: $sort', 'sort: "title:desc"').replace(
        ', $sort: [String]',
        '',
      )
      assert.deepEqual((await data(literal, { variables: { locale: 'en' } })).articles, expected)
      const list = { locale: 'en', sort: ['title:desc'] }
      assert.deepEqual((await data(DOC3, { variables: list })).articles, expected)
      const text = { locale: 'en', sort: 'title:desc' }
      const declared = DOC3.replace('$sort: [String]', '$sort: String')
      assert.deepEqual((await data(declared, { variables: text })).articles, expected)
    })

    test('graphql 3: a text orders as many lists as there are', async () => {
      const fields = Array.from(
        { length: 12 },
        (_, no) => `a${no}: articles(sort: $sort) { data { id } }`,
      )
      const query = `query ($sort: String) { ${fields.join(' ')} }`
      const shown = await data(query, { variables: { sort: 'title:desc' } })
      assert.deepEqual(shown.a11, shown.a0)
      assert.equal(Object.keys(shown).length, 12)
    })

    test('graphql 3: aliases, fragments, directives and __typename shape the answer', async () => {
      const query = `query ($deep: Boolean!) {
      one: article(id: ${at.article}) { __typename data { ...Parts } }
      none: article(id: 999) { data { id } }
    }
    fragment Parts on ArticleEntity {
      id attributes {
        name: title kind
        by: author @include(if: $deep) { data { attributes { name } } }
        all: categories { data { attributes { name } } }
        last: categories(sort: "name:desc", pagination: { limit: 1 }) { data { attributes { name } } }
        seo { id description reviewer { data { attributes { name } } } }
        blocks { description }
      }
      attributes { title }
    }`
      const shown = (deep: boolean) => ({
        one: {
          __typename: 'ArticleEntityResponse',
          data: {
            id: String(at.article),
            attributes: {
              ...{ name: 'Banana', kind: 'long_read' },
              ...(deep && { by: { data: { attributes: { name: 'Ada' } } } }),
              all: { data: [{ attributes: { name: 'x' } }, { attributes: { name: 'y' } }] },
              last: { data: [{ attributes: { name: 'y' } }] },
              seo: {
                ...{ id: '1', description: 'All' },
                reviewer: { data: { attributes: { name: 'Ada' } } },
              },
              blocks: [{ description: 'All' }, { description: 'Two' }],
              title: 'Banana',
            },
          },
        },
        none: { data: null },
      })
      for (const deep of [true, false, true]) {
        assert.deepEqual(await data(query, { variables: { deep } }), shown(deep))
      }
      for (const directive of ['skip', 'include']) {
        const either = `query ($on: Boolean = true) { tags { data { id @${directive}(if: $on) __typename } } }`
        const { code, status } = await refusal(either, { variables: { on: null } })
        assert.deepEqual([code, status], ['BAD_USER_INPUT', 400])
      }
    })

    test('graphql 3: languages and drafts are chosen by each list for itself', async () => {
      const title = async (args: string, key: string | null = null) => {
        const query = `{ articles(${args}) { data { attributes { title locale } } } }`
        const { articles } = await data(query, { key })
        return articles.data.map(
          ({ attributes }: { attributes: { title: string } }) => attributes.title,
        )
      }
      assert.deepEqual(await title('locale: "fr"'), ['Banane'])
      assert.equal((await title('locale: "all"')).length, 5)
      assert.ok((await title('publicationState: PREVIEW', keys.write)).includes('Draft a'))
      const unknown = await ask('{ articles(locale: "xx") { data { id } } }')
      assert.equal(unknown.body.errors[0].extensions.code, 'BAD_USER_INPUT')
      const foreign = `{ article(id: ${at.article}, locale: "fr") { data { id } } }`
      assert.deepEqual(await data(foreign), { article: { data: null } })
      const draft = `{ article(id: ${at.draft}) { data { id } } }`
      assert.deepEqual(await data(draft), { article: { data: null } })
      const other = `{ article(id: ${at.article}) { data { attributes { localizations { data { id } } } } } }`
      const { article } = await data(other)
      assert.deepEqual(article.data.attributes.localizations.data, [{ id: String(at.french) }])
    })

    test('graphql 3: what was asked before changes no answer: warm is as cold', async () => {
      const query =
        'query ($rank: Int) { articles(filters: { rank: { eq: $rank } }) { data { id } } }'
      const idsOf = async (rank: number | null) =>
        (await data(query, { variables: { rank } })).articles.data.length
      assert.deepEqual(await Promise.all([2, 1, 7, null, 2].map(idsOf)), [1, 1, 0, 0, 1])
      const wrong = await ask(query, { variables: { rank: 'x' } })
      assert.equal(wrong.status, 400)
      assert.equal(wrong.body.errors[0].extensions.code, 'BAD_USER_INPUT')
    })

    test('graphql 3: a value that is required now and missing makes null what may be null', async () => {
      const attributes = { title: { type: 'string' }, code: { type: 'string' } }
      await ok('POST', '/api/v1/content-types', {
        body: { singularName: 'badge', pluralName: 'badges', attributes },
      })
      const whole = await create('badges', { title: 'whole', code: 'c' })
      const lacking = await create('badges', { title: 'lacking' })
      await ok('PATCH', '/api/v1/content-types/badge', {
        body: { attributes: { code: { type: 'string', required: true } } },
      })
      const { status, body } = await ask(
        '{ badges(sort: "id") { data { id attributes { title code } } } }',
      )
      assert.equal(status, 200)
      assert.deepEqual(body.data.badges.data, [
        { id: String(whole), attributes: { title: 'whole', code: 'c' } },
        { id: String(lacking), attributes: null },
      ])
      assert.deepEqual(body.errors[0].path, ['badges', 'data', 1, 'attributes', 'code'])
      const flat = await ask('{ badge(id: 2) { title code } badges { total } }', { at: '/offset' })
      assert.deepEqual(flat.body.data, { badge: null, badges: { total: 2 } })
      const list = await ask('{ badges { items { code } } }', { at: '/offset' })
      assert.equal(list.body.data, null)
      await ok('DELETE', '/api/v1/content-types/badge?force=true')
    })

    test('graphql 3: one thing picked twice shows each choice of a relation', async () => {
      const query = `{ article(id: ${at.article}) {
        one: data { attributes { categories(pagination: { limit: 1 }) { data { attributes { name } } } } }
        all: data { attributes { categories { data { id } } author { data { id } } } } } }`
      const { article } = await data(query)
      assert.deepEqual(article.one.attributes.categories.data, [{ attributes: { name: 'x' } }])
      assert.equal(article.all.attributes.categories.data.length, 2)
      assert.equal(article.all.attributes.author.data.id, String(at.ada))
    })

    test('graphql 3: files and locales are lists like the others', async () => {
      const form = new FormData()
      form.append('files', new File(['hello'], 'note.txt', { type: 'text/plain' }))
      const [file] = await ok('POST', '/api/upload', { form })
      const query = `{ uploadFiles(filters: { name: { contains: "note" } }) {
      data { id attributes { name mime size url } } meta { pagination { total } } } }`
      const { uploadFiles } = await data(query, { key: keys.read })
      assert.equal(uploadFiles.data[0].id, String(file.id))
      assert.equal(uploadFiles.meta.pagination.total, 1)
      const one = await data(`{ uploadFile(id: ${file.id}) { data { attributes { name } } } }`, {
        key: keys.read,
      })
      assert.equal(one.uploadFile.data.attributes.name, 'note.txt')
      const post = await create('posts', { title: 'with a note', cover: file.id })
      const shown = await data(`{ post(id: ${post}) { cover { documentId } } }`, { at: '/offset' })
      const { documentId } = shown.post.cover
      const change = `mutation ($id: ID!) { updateUploadFile(id: $id, info: { caption: "c" }) {
        data { attributes { caption } } } }`
      const variables = { id: String(documentId).toUpperCase() }
      const { updateUploadFile } = await data(change, { key: keys.write, variables })
      assert.equal(updateUploadFile.data.attributes.caption, 'c')
      const { i18NLocales } = await data(
        '{ i18NLocales(sort: "code:desc") { data { attributes { code name } } meta { pagination { total } } } }',
      )
      assert.deepEqual(
        i18NLocales.data.map(({ attributes }: { attributes: object }) => attributes),
        [
          { code: 'fr', name: 'French' },
          { code: 'en', name: 'English' },
        ],
      )
      assert.equal((await call('GET', '/graphql/schema.graphql')).status, 200)
    })

    test('graphql §3: names of prototypes are names like others', async () => {
      const named = await ask('{ __proto__: authors { data { id } } constructor: __typename }')
      assert.deepEqual(JSON.parse(JSON.stringify(Object.entries(named.body.data))), [
        ['__proto__', { data: [{ id: String(at.ada) }] }],
        ['constructor', 'Query'],
      ])
      const refused = await ask('{ articles(filters: { __proto__: { eq: 1 } }) { data { id } } }')
      assert.equal(refused.body.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
      const kind = await ask('{ __type(name: "__proto__") { name } }')
      assert.deepEqual(kind.body.data, { __type: null })
    })
  },
)
