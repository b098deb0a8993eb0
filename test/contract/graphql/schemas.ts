import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  buildClientSchema,
  buildSchema,
  type GraphQLObjectType,
  getIntrospectionQuery,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
} from 'graphql'
import { graphqlSuite } from './support.ts'

const ENDPOINTS = ['', '/offset', '/connection']

/** Long lists of arguments are printed over several lines, without commas. */
const squashed = (text: string) =>
  text
    .replaceAll(/[\s,]+/g, ' ')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .replaceAll('{ }', '{}')

export const schemas = graphqlSuite('schemas of GraphQL', (api) => {
  const { data, call, ok, keys } = api

  const sdlOf = async (at: string): Promise<string> => {
    const response = await fetch(`${api.server().url}/graphql${at}/schema.graphql`)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
    return response.text()
  }

  test('graphql 2: the text of each schema is valid and equals what introspection shows', async () => {
    for (const at of ENDPOINTS) {
      const written = buildSchema(await sdlOf(at))
      assert.deepEqual(validateSchema(written), [])
      const shown = buildClientSchema(await data(getIntrospectionQuery(), { at }))
      assert.equal(
        printSchema(lexicographicSortSchema(shown)),
        printSchema(lexicographicSortSchema(written)),
        at,
      )
    }
  })

  test('graphql 2: selections of introspection are put together, with variables', async () => {
    const query = `query ($name: String!, $state: PublicationState, $big: Long) {
      __type(name: $name) { name } ...Rest
      articles(publicationState: $state) { data { id } }
      samples(filters: { big: { eq: $big } }) { data { id } }
    }
    fragment Rest on Query { __type(name: $name) { kind } __schema { queryType { name } } }`
    const variables = { name: 'Article', state: 'LIVE', big: '9007199254740993' }
    const { __type, __schema } = await data(query, { variables })
    assert.deepEqual(__type, { name: 'Article', kind: 'OBJECT' })
    assert.equal(__schema.queryType.name, 'Query')
  })

  test('graphql 2: the schemas have the types and arguments of the contract', async () => {
    const cms = await sdlOf('')
    const offset = await sdlOf('/offset')
    const connection = await sdlOf('/connection')
    const has = (sdl: string, ...lines: string[]) => {
      for (const line of lines) assert.ok(squashed(sdl).includes(squashed(line)), line)
    }
    has(
      cms,
      'article(id: ID, locale: I18NLocaleCode, publicationState: PublicationState = LIVE): ArticleEntityResponse',
      'articles(filters: ArticleFiltersInput, pagination: PaginationArg = {}, sort: [String] = [], publicationState: PublicationState = LIVE, locale: I18NLocaleCode): ArticleEntityResponseCollection',
      'homepage(locale: I18NLocaleCode): HomepageEntityResponse',
      'type ArticleEntity {\n  id: ID\n  attributes: Article\n}',
      'kind: ENUM_ARTICLE_KIND',
      'enum ENUM_ARTICLE_KIND {\n  news\n  long_read\n  _3d\n}',
      'createArticleLocalization(',
      'data: [ArticleEntity!]!',
      'big: Long',
      'words: [String]',
      'data: JSON',
      'price: Float',
      'moment: DateTime',
      'gallery(filters: UploadFileFiltersInput, pagination: PaginationArg = {}, sort: [String] = []): UploadFileRelationResponseCollection',
      'blocks: [ComponentDefaultSeo]',
      'type ComponentDefaultSeo {\n  id: ID!',
      'updateUploadFile(id: ID!, info: FileInfoInput!): UploadFileEntityResponse',
      'input PaginationArg {\n  page: Int\n  pageSize: Int\n  start: Int\n  limit: Int\n}',
    )
    // Where there are drafts a value may be missing.
    has(cms, 'type Author {\n  name: String!', 'type Article {\n  title: String\n')
    assert.ok(!/\bupload\(|Upload!/.test(cms), 'bytes travel by REST')
    assert.ok(!/\bposts\([^)]*(locale|publicationState)/.test(squashed(cms)), 'posts have neither')
    has(
      offset,
      'posts(limit: Int = 20, offset: Int = 0, filter: PostFilter, sort: String): PostList!',
      'type PostList {\n  items: [Post!]!\n  total: Int!\n  limit: Int!\n  offset: Int!\n  hasNextPage: Boolean!\n}',
      'authorId: ID',
    )
    has(
      connection,
      'posts(first: Int, after: String, last: Int, before: String, filter: PostFilter, sort: String): PostConnection!',
      'interface Node {\n  id: ID!\n}',
      'type Post implements Node {',
      'databaseId: Int!',
      'node(id: ID!): Node',
    )
  })

  test('graphql 11: connections are those of the cursor connections specification', async () => {
    const schema = buildSchema(await sdlOf('/connection'))
    const typeOf = (name: string): GraphQLObjectType => {
      const type = schema.getType(name)
      assert.ok(isObjectType(type), name)
      return type
    }
    const node = schema.getType('Node')
    assert.ok(isInterfaceType(node))
    assert.equal(String(node.getFields()['id']?.type), 'ID!')
    const info = typeOf('PageInfo').getFields()
    assert.equal(String(info['hasNextPage']?.type), 'Boolean!')
    assert.equal(String(info['hasPreviousPage']?.type), 'Boolean!')
    assert.equal(String(info['startCursor']?.type), 'String')
    assert.equal(String(info['endCursor']?.type), 'String')
    const connections = Object.keys(schema.getTypeMap()).filter((name) =>
      name.endsWith('Connection'),
    )
    assert.ok(connections.length >= 6)
    for (const name of connections) {
      const fields = typeOf(name).getFields()
      const edge = typeOf(name.replace(/Connection$/, 'Edge')).getFields()
      assert.equal(String(fields['pageInfo']?.type), 'PageInfo!')
      assert.equal(String(edge['cursor']?.type), 'String!')
      const item = typeOf(String(edge['node']?.type).replace('!', ''))
      assert.ok(item.getInterfaces().includes(node), name)
    }
    for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
      if (!String(field.type).endsWith('Connection!')) continue
      const args = Object.fromEntries(field.args.map((each) => [each.name, String(each.type)]))
      assert.deepEqual(
        [args['first'], args['after'], args['last'], args['before']],
        ['Int', 'String', 'Int', 'String'],
      )
    }
  })

  test('graphql 6: a type made at run time is there at once, everywhere, and gone as quickly', async () => {
    for (const at of ENDPOINTS) await data('{ __typename }', { at })
    const attributes = { title: { type: 'string' } }
    const body = { singularName: 'blog-note', pluralName: 'blog-notes', attributes }
    await ok('POST', '/api/v1/content-types', { body })
    const key = keys.write
    const made = await data(
      'mutation { createBlogNote(data: { title: "a" }) { data { attributes { title } } } }',
      { key },
    )
    assert.equal(made.createBlogNote.data.attributes.title, 'a')
    for (const at of ['/offset', '/connection']) {
      const own = await data('mutation { createBlogNote(data: { title: "b" }) { title } }', {
        at,
        key,
      })
      assert.equal(own.createBlogNote.title, 'b')
    }
    assert.equal(
      (await data('{ blogNotes { meta { pagination { total } } } }')).blogNotes.meta.pagination
        .total,
      3,
    )
    assert.equal((await data('{ blogNotes { total } }', { at: '/offset' })).blogNotes.total, 3)
    assert.equal(
      (await data('{ blogNotes { totalCount } }', { at: '/connection' })).blogNotes.totalCount,
      3,
    )
    await ok('DELETE', '/api/v1/content-types/blog-note?force=true')
    const { body: gone } = await call('POST', '/graphql', {
      body: { query: '{ blogNotes { data { id } } }' },
    })
    assert.equal(gone.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  })
})
