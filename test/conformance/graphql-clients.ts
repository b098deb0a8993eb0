import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import {
  ApolloClient,
  type FieldPolicy,
  gql,
  HttpLink,
  InMemoryCache,
  type Reference,
} from '@apollo/client'
import { offsetLimitPagination, relayStylePagination } from '@apollo/client/utilities'
import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import {
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLResponse,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime'
import { graphqlSuite } from '../contract/graphql/support.ts'

const run = promisify(execFile)
const COMPILER = fileURLToPath(import.meta.resolve('relay-compiler/cli.js'))
const PAGE = `query Posts($first: Int, $after: String) {
  posts(first: $first, after: $after) {
    edges { cursor node { id title author { id name } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`
const TITLES = Array.from({ length: 12 }, (_, at) => `Post ${String(at).padStart(2, '0')}`)

interface Edges {
  readonly posts: {
    readonly edges: readonly { readonly node: { readonly title: string } }[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string }
  }
}

/** As the cache holds a page. */
interface Stored {
  readonly items: readonly Reference[]
}

interface Items {
  readonly posts: { readonly items: readonly { readonly title: string }[]; readonly total: number }
}

/** Real clients, unmodified, with the paging helpers they come with. */
export const graphqlClients = graphqlSuite('clients of GraphQL', (api) => {
  const { create, createMany } = api
  const at = (path: string) => `${api.server().url}/graphql${path}`

  before(async () => {
    const author = await create('authors', { name: 'Ada' })
    await createMany(
      'posts',
      TITLES.map((title) => ({ title, author })),
    )
  })

  const titlesOf = (data: Edges | null | undefined) =>
    data?.posts.edges.map(({ node }) => node.title)

  test('graphql 10: Apollo Client walks a connection with relayStylePagination', async () => {
    const typePolicies = { Query: { fields: { posts: relayStylePagination() } } }
    const client = new ApolloClient({
      link: new HttpLink({ uri: at('/connection') }),
      cache: new InMemoryCache({ typePolicies }),
    })
    const query = gql(PAGE)
    const shown = client.watchQuery<Edges>({ query, variables: { first: 5 } })
    const { data } = await client.query<Edges>({ query, variables: { first: 5 } })
    assert.deepEqual(titlesOf(data), TITLES.slice(0, 5))
    await shown.fetchMore({ variables: { after: data?.posts.pageInfo.endCursor } })
    const both = client.readQuery<Edges>({ query, variables: { first: 5 } })
    assert.deepEqual(titlesOf(both), TITLES.slice(0, 10))
    assert.equal(both?.posts.pageInfo.hasNextPage, true)
    client.stop()
  })

  test('graphql 10: Apollo Client pages by offset with offsetLimitPagination', async () => {
    const { merge } = offsetLimitPagination<Reference>()
    assert.ok(typeof merge === 'function')
    const posts: FieldPolicy<Stored> = {
      keyArgs: false,
      merge: (existing, incoming, options) => ({
        ...incoming,
        items: merge(existing?.items, incoming.items, options),
      }),
    }
    const typePolicies = { Query: { fields: { posts } } }
    const client = new ApolloClient({
      link: new HttpLink({ uri: at('/offset') }),
      cache: new InMemoryCache({ typePolicies }),
    })
    const query = gql(
      'query ($limit: Int, $offset: Int) { posts(limit: $limit, offset: $offset) { items { id title } total } }',
    )
    const shown = client.watchQuery<Items>({ query, variables: { limit: 5, offset: 0 } })
    await client.query<Items>({ query, variables: { limit: 5, offset: 0 } })
    await shown.fetchMore({ variables: { offset: 5 } })
    const both = client.readQuery<Items>({ query, variables: { limit: 5, offset: 0 } })
    assert.deepEqual(
      both?.posts.items.map(({ title }) => title),
      TITLES.slice(0, 10),
    )
    assert.equal(both?.posts.total, 12)
    client.stop()
  })

  test('graphql 10: urql with graphcache walks a connection with relayPagination', async () => {
    const client = new Client({
      url: at('/connection'),
      exchanges: [
        cacheExchange({ resolvers: { Query: { posts: relayPagination() } } }),
        fetchExchange,
      ],
    })
    const first = await client.query<Edges>(PAGE, { first: 5 }).toPromise()
    assert.equal(first.error, undefined)
    assert.deepEqual(titlesOf(first.data), TITLES.slice(0, 5))
    const after = first.data?.posts.pageInfo.endCursor
    const second = await client.query<Edges>(PAGE, { first: 5, after }).toPromise()
    assert.deepEqual(titlesOf(second.data), TITLES.slice(0, 10))
  })

  test('graphql 10: relay-compiler takes the schema, and Relay pages and refetches by node', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'relay-'))
    t.after(() => rm(folder, { recursive: true }))
    const sdl = await (await fetch(at('/connection/schema.graphql'))).text()
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'schema.graphql'), sdl)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const config = {
      src: './src',
      schema: './schema.graphql',
      language: 'javascript',
      eagerEsModules: true,
    }
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config))
    await writeFile(
      join(folder, 'src', 'List.js'),
      'const list = graphql`query ListQuery($first: Int, $after: String) { posts(first: $first, after: $after) @connection(key: "List_posts") { edges { node { id title author { name } } } } }`\n' +
        'const one = graphql`query ListOneQuery($id: ID!) { node(id: $id) { id ... on Post { title } } }`\n',
    )
    await run(process.execPath, [COMPILER], { cwd: folder })
    const load = async (name: string) => {
      const url = pathToFileURL(join(folder, 'src', '__generated__', `${name}.graphql.js`))
      return (await import(url.href)).default
    }
    const environment = new Environment({
      network: Network.create(async ({ text }, variables) => {
        const answer = await fetch(at('/connection'), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: text, variables }),
        })
        const body: GraphQLResponse = JSON.parse(await answer.text())
        return body
      }),
      store: new Store(new RecordSource()),
    })
    const list = await load('ListQuery')
    const all = createOperationDescriptor(list, { first: 5 })
    environment.retain(all)
    await fetchQuery(environment, list, { first: 5 }).toPromise()
    // biome-ignore lint/suspicious/noExplicitAny: what Relay has read has the shape of the query
    const shown = (): any => environment.lookup(all.fragment).data
    const { endCursor, hasNextPage } = shown().posts.pageInfo
    assert.equal(hasNextPage, true)
    await fetchQuery(environment, list, { first: 5, after: endCursor }).toPromise()
    assert.deepEqual(titlesOf(shown()), TITLES.slice(0, 10))
    const one = await load('ListOneQuery')
    const { id } = shown().posts.edges[3].node
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const found: any = await fetchQuery(environment, one, { id }).toPromise()
    assert.deepEqual(found.node, { id, title: 'Post 03' })
  })
})
