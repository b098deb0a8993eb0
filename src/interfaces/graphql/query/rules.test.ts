import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  GraphQLError,
  type GraphQLSchema,
  Lexer,
  OverlappingFieldsCanBeMergedRule,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  validate,
} from 'graphql'
import type { Attribute, ContentModel, ContentType } from '#content-model'
import { cmsModel } from '#test-kit'
import { Refused } from '../errors.ts'
import { buildSchema } from '../schema.ts'
import { checkExtent, fragmentsIn } from './limits.ts'
import { validateDocument } from './rules.ts'

const NO_LIMITS = {
  ...{ maxTokens: 1e6, maxDepth: 1e6, maxHops: 1e6, maxAliases: 1e6, maxCost: 1e6 },
}
/** With an attribute of any form, in which variables may stand. */
const { article } = cmsModel
const extra: Attribute = { ...base(article), name: 'extra', type: 'json' }
const extended: ContentType = {
  ...article,
  attributes: [...article.attributes, extra],
  attribute: new Map([...article.attribute, ['extra', extra]]),
}
const MODEL: ContentModel = {
  ...cmsModel.model,
  types: cmsModel.model.types.map((type) => (type === article ? extended : type)),
}
/** Fields of one name are compared elsewhere. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)
const TEXT_FOR_TEXTS = /of type "String!?" used in position expecting type "\[String\]/

/** Each uses what others may break: variables, fragments, directives, lists, objects, introspection. */
const GOOD = {
  cms: [
    `query A($size: Int = 5, $sort: [String], $id: ID, $on: Boolean!) {
      articles(pagination: { page: 1, pageSize: $size }, sort: $sort,
        filters: { title: { contains: "a", in: ["b", "c"] }, or: [{ id: { eq: $id } }, { not: { id: { eq: 3 } } }] }) {
        data { ...Parts @include(if: $on) attributes { title createdAt @skip(if: $on) } } meta { pagination { total } } }
      __typename
    }
    fragment Parts on ArticleEntity { id ... on ArticleEntity { attributes { author { data { id } } } } ... @skip(if: $on) { id } }`,
    `query B($sort: String!) { one: article(id: 1) { data { id } } articles(sort: $sort) { data { id } } }
     query C { __schema { types { name } } __type(name: "Query") { fields(includeDeprecated: true) { name } } }`,
    `mutation D($data: ArticleInput!, $text: String) { a: createArticle(data: $data) { data { id } }
      updateArticle(id: 2, data: { title: $text, extra: { a: [1], b: { c: $text } } }) { data { attributes { title } } } }`,
  ],
  offset: [
    `query A($limit: Int, $filter: ArticleFilter) { articles(limit: $limit, offset: 2, filter: $filter, sort: "title") {
      items { id title authorId author { id } } total hasNextPage } }`,
  ],
  connection: [
    `query A($id: ID!, $first: Int = 3) { node(id: $id) { id __typename ... on Article { title } ...N }
      articles(first: $first) { edges { cursor node { databaseId } } pageInfo { hasNextPage } totalCount } }
    fragment N on Node { id ... on Author { name } }`,
  ],
} as const

/** What is put in place of tokens. */
const OTHERS = [
  ...[
    'id',
    'title',
    'data',
    'attributes',
    'articles',
    'article',
    'author',
    'meta',
    'filters',
    'sort',
  ],
  ...[
    'node',
    'items',
    'edges',
    'nonsense',
    'toString',
    '__proto__',
    'on',
    'Article',
    'Query',
    'Int',
  ],
  ...['ArticleEntity', 'ArticleInput', 'String', 'ID', 'Node', 'fragment', 'query', 'mutation'],
  ...[
    '1',
    '-2.5',
    '"text"',
    'true',
    'null',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '...',
    ':',
    '!',
    '@',
    '$',
  ],
  ...['$id', '$size', '$sort', '$on', '$nothing', '@skip(if: true)', '@deprecated', '@nonsense'],
  ...[
    '...Parts',
    '...N',
    '...Nothing',
    '... on Author { id }',
    '{ id }',
    '[1]',
    '{ a: 1 }',
    '[[$id]]',
  ],
  ...['fragment Z on Query { __typename }', 'query Y { __typename }', '{ __typename }', 'scalar S'],
  ...['$more: [Int!]! = [1, null]', 'id: 1', 'subscription { a }', 'includeDeprecated: 1', '= 3'],
]

for (const [form, documents] of Object.entries(GOOD)) {
  test(`our rules refuse what those of the language refuse, and nothing else (${form})`, async () => {
    assert.ok(form === 'cms' || form === 'offset' || form === 'connection')
    const { schema } = await buildSchema(MODEL, form)
    const random = numbers(1)
    const counted = { right: 0, wrong: 0 }
    for (const text of documents) {
      assert.deepEqual(ours(schema, text), [], text)
      const tokens = tokensOf(text)
      for (let round = 0; round < 3_000; round++) {
        const changed = change(tokens, random)
        const theirs = verdict(schema, changed)
        if (!theirs) continue
        const own = ours(schema, changed)
        const said = `${changed}\n\nours: ${own[0]}\ntheirs: ${theirs[0]}`
        assert.equal(own.length === 0, theirs.length === 0, said)
        counted[theirs.length === 0 ? 'right' : 'wrong']++
      }
    }
    assert.ok(counted.right > 50 && counted.wrong > 200, JSON.stringify(counted))
  })
}

/** What the library of the language finds; undefined where the text is none of the language. */
function verdict(schema: GraphQLSchema, text: string): readonly string[] | undefined {
  try {
    const errors = validate(schema, parse(text), RULES, { hideSuggestions: true })
    return errors.map(({ message }) => message).filter((message) => !TEXT_FOR_TEXTS.test(message))
  } catch (error) {
    if (error instanceof GraphQLError) return undefined
    throw error
  }
}

function ours(schema: GraphQLSchema, text: string): readonly string[] {
  const document = parse(text)
  const fragments = fragmentsIn(document)
  try {
    checkExtent(document, fragments, NO_LIMITS)
  } catch (error) {
    if (error instanceof Refused) return [error.message]
    throw error
  }
  return validateDocument(schema, document, fragments, true, 5).map(({ message }) => message)
}

function tokensOf(text: string): readonly string[] {
  const lexer = new Lexer(new Source(text))
  const tokens: string[] = []
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens.push(text.slice(token.start, token.end))
  }
  return tokens
}

/** One to three tokens are left out, put twice, exchanged or replaced. */
function change(tokens: readonly string[], random: (below: number) => number): string {
  const changed = [...tokens]
  for (let times = random(3); times >= 0; times--) {
    const at = random(changed.length)
    const other = [OTHERS[random(OTHERS.length)] ?? '', tokens[random(tokens.length)] ?? '']
    const kinds = [[], [changed[at] ?? '', changed[at] ?? ''], other.slice(0, 1), other.slice(1)]
    const inserted = [changed[at] ?? '', other[0] ?? '']
    changed.splice(at, 1, ...([...kinds, inserted][random(5)] ?? []))
  }
  return changed.join(' ')
}

function base({ attributes: [first] }: ContentType): Attribute {
  assert.ok(first)
  return first
}

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
