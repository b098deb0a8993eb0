import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeSuite } from './support.ts'

const IMPORT = '/api/v1/content-types/import'
const LOCALIZED = { i18n: { localized: true } }

/** As they lie in a project of the modelled system. */
const ARTICLE = {
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article', icon: 'pen' },
  options: { draftAndPublish: true },
  pluginOptions: LOCALIZED,
  attributes: {
    title: { type: 'string', required: true, maxLength: 90, pluginOptions: LOCALIZED },
    slug: { type: 'uid', targetField: 'title' },
    rank: { type: 'integer', min: 1, max: 10, configurable: false },
    body: { type: 'richtext', pluginOptions: LOCALIZED },
    path: { type: 'string' },
    code: { type: 'string', regex: '^(?=x)y$', unique: true },
    meta: { type: 'json', unique: true },
    colour: { type: 'customField', customField: 'plugin::color-picker.color' },
    cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
    author: {
      ...{ type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      inversedBy: 'articles',
    },
    owner: { type: 'relation', relation: 'oneToOne', target: 'plugin::users-permissions.user' },
    related: { type: 'relation', relation: 'morphToMany' },
    seo: { type: 'component', component: 'shared.seo', repeatable: false },
    gone: { type: 'component', component: 'shared.gone' },
    created: { type: 'timestamp' },
    sections: { type: 'dynamiczone', components: ['shared.seo', 'shared.gone'], max: 5 },
    text: { type: 'blocks', pluginOptions: LOCALIZED },
  },
}

const AUTHOR = {
  kind: 'collectionType',
  collectionName: 'authors',
  info: { singularName: 'author', pluralName: 'authors', displayName: 'Author' },
  options: { draftAndPublish: false },
  pluginOptions: {},
  attributes: {
    name: { type: 'string' },
    articles: {
      ...{ type: 'relation', relation: 'oneToMany', target: 'api::article.article' },
      mappedBy: 'author',
    },
  },
}

const SEO = {
  collectionName: 'components_shared_seos',
  info: { displayName: 'Seo', icon: 'search' },
  options: {},
  attributes: { description: { type: 'text' }, image: { type: 'media', multiple: false } },
}

interface Note {
  readonly attribute: string
  readonly message: string
}

/** findings, content and dialects 12 */
export const schemaImport = storeSuite('import of schema files', ({ call, data, ok }) => {
  const noted = (notes: readonly Note[]) => notes.map(({ attribute }) => attribute).sort()
  const NOTED = ['code', 'colour', 'gone', 'meta', 'owner', 'path', 'related', 'sections']

  test('content-dialects 12: a dry run tells what would come of schema.json files, and changes nothing', async () => {
    const report = await call('POST', `${IMPORT}?dry_run=true`, { body: [ARTICLE, AUTHOR, SEO] })
    assert.equal(report.status, 200, JSON.stringify(report.body))
    assert.deepEqual(report.body.data.contentTypes, [
      { name: 'article', action: 'create' },
      { name: 'author', action: 'create' },
    ])
    assert.deepEqual(report.body.data.components, [{ name: 'shared.seo', action: 'create' }])
    assert.deepEqual(noted(report.body.data.notes), NOTED)
    assert.equal((await call('GET', '/api/v1/content-types/article')).status, 404)
  })

  test('content-dialects 12: schema.json files become types with the meaning they have there', async () => {
    const done = await call('POST', IMPORT, { body: [ARTICLE, AUTHOR, SEO] })
    assert.equal(done.status, 201, JSON.stringify(done.body))
    assert.deepEqual(noted(done.body.data.notes), NOTED)
    const type = await data('GET', '/api/v1/content-types/article')
    assert.deepEqual(
      [type.draftAndPublish, type.localized, type.displayName, type.pluralName],
      [true, true, 'Article', 'articles'],
    )
    const { title, slug, rank, body, author, seo, created, meta, code } = type.attributes
    assert.deepEqual(Object.keys(type.attributes), [
      ...['title', 'slug', 'rank', 'body', 'field_path', 'code', 'meta', 'cover', 'author', 'seo'],
      ...['created', 'sections', 'text'],
    ])
    assert.deepEqual(title, { type: 'string', required: true, maxLength: 90 })
    // Relations and uids differ by language there, everything else only when it says so.
    assert.deepEqual(slug, { type: 'uid', targetField: 'title' })
    assert.deepEqual(rank, { type: 'integer', min: 1, max: 10, localized: false })
    assert.deepEqual(body, { type: 'richtext', format: 'markdown' })
    assert.deepEqual([author.target, author.inversedBy], ['author', 'articles'])
    assert.deepEqual(seo, { type: 'component', component: 'shared.seo', localized: false })
    assert.deepEqual([created.type, meta.unique, code.unique], ['datetime', undefined, true])
    assert.equal(code.regex, undefined)
    const { sections, text } = type.attributes
    const zone = { type: 'dynamiczone', components: ['shared.seo'], max: 5, localized: false }
    assert.deepEqual(sections, zone)
    assert.deepEqual(text, { type: 'richtext', format: 'blocks' })

    const { id } = await data('POST', '/api/v1/authors', { body: { name: 'Ann' } })
    const made = await data('POST', '/api/v1/articles', {
      body: { title: 'One', rank: 3, author_id: id, seo: { description: 'd' } },
    })
    const { data: own } = await ok('GET', `/api/v1/authors/${id}/articles`)
    assert.deepEqual(
      own.map((each: { id: number }) => each.id),
      [made.id],
    )
  })

  test('content-dialects 12: imported again nothing changes; what was added here stays, what would be lost is refused', async () => {
    await data('PATCH', '/api/v1/content-types/article', {
      body: { attributes: { extra: { type: 'string' } } },
    })
    const before = await data('GET', '/api/v1/content-types/article')
    const files = {
      'src/api/article/content-types/article/schema.json': ARTICLE,
      'src/api/author/content-types/author/schema.json': AUTHOR,
      'src/components/shared/seo.json': SEO,
      'package.json': { name: 'project' },
    }
    const again = await call('POST', IMPORT, { body: { files } })
    assert.equal(again.status, 201, JSON.stringify(again.body))
    assert.deepEqual(again.body.data.contentTypes[0], { name: 'article', action: 'change' })
    assert.deepEqual(again.body.data.changes, [])
    const after = await data('GET', '/api/v1/content-types/article')
    assert.deepEqual(after.attributes, before.attributes)

    const changed = {
      ...ARTICLE,
      attributes: { ...ARTICLE.attributes, rank: { type: 'date' } },
    }
    const refused = await call('POST', IMPORT, {
      body: { contentTypes: [changed], components: [] },
    })
    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    assert.equal(refused.body.error.code, 'would_lose_data')
    const looked = await call('POST', `${IMPORT}?dry_run=true`, { body: [changed] })
    assert.equal(looked.body.data.changes[0].attribute, 'rank', JSON.stringify(looked.body))
  })

  test('content-dialects 12: what the modelled API shows of its types can be sent, too', async () => {
    const { info, options, pluginOptions, attributes } = AUTHOR
    const writer = { ...info, singularName: 'writer', pluralName: 'writers' }
    const { articles: _, ...own } = attributes
    const shown = {
      uid: 'api::writer.writer',
      apiID: 'writer',
      schema: { kind: 'collectionType', ...writer, ...options, pluginOptions, attributes: own },
    }
    const part = {
      uid: 'shared.note',
      category: 'shared',
      schema: { attributes: { text: { type: 'text' } } },
    }
    const done = await call('POST', IMPORT, { body: { contentTypes: [shown], components: [part] } })
    assert.equal(done.status, 201, JSON.stringify(done.body))
    assert.equal((await data('GET', '/api/v1/components/shared.note')).attributes.text.type, 'text')
    assert.equal((await data('GET', '/api/v1/content-types/writer')).displayName, 'Author')
  })

  test('content-dialects 12: a uid of an attribute that is not there is made of none, whatever it is called', async () => {
    for (const [at, targetField] of ['nowhere', 'constructor', '__proto__'].entries()) {
      const info = { singularName: `tag-${at}`, pluralName: `tags-${at}`, displayName: 'Tag' }
      const attributes = { name: { type: 'string' }, slug: { type: 'uid', targetField } }
      const file = { kind: 'collectionType', info, options: {}, attributes }
      const { status, body } = await call('POST', IMPORT, { body: [file] })
      assert.equal(status, 201, `${targetField}: ${JSON.stringify(body)}`)
      const { slug } = (await data('GET', `/api/v1/content-types/tag-${at}`)).attributes
      assert.deepEqual(slug, { type: 'uid' }, targetField)
    }
  })

  test('content-dialects 12: what is no schema is refused with its place, and nothing is made', async () => {
    const nameless = { ...SEO, collectionName: 'components_x_y' }
    for (const [body, field] of [
      [[], 'contentTypes'],
      [{}, 'contentTypes'],
      [[nameless], '0'],
      [[{ ...AUTHOR, attributes: 'x' }], '0.attributes'],
      [['x'], '0'],
      [[{ ...AUTHOR, info: { ...AUTHOR.info, singularName: 'Not Kebab' } }], '0.singularName'],
      [{ contentTypes: [AUTHOR, AUTHOR] }, 'contentTypes.1'],
    ] as const) {
      const answer = await call('POST', IMPORT, { body })
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      assert.equal(answer.body.error.details[0].field, field, JSON.stringify(answer.body))
    }
    assert.equal((await call('POST', IMPORT, { body: [AUTHOR], key: null })).status, 401)
  })
})
