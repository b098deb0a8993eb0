/** Relations in circles: authors have articles, which have authors. */
export const deep = (hops: number): string => {
  const steps = Array.from({ length: hops }, (_, at) => (at % 2 === 0 ? 'author' : 'articles'))
  const inner = steps.reduceRight(
    (below, name) => `${name} { data { attributes { ${below} } } }`,
    'createdAt',
  )
  return `{ articles(pagination: { limit: 1 }) { data { attributes { ${inner} } } } }`
}
export const many = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ')

/** What is refused before any storage access, and with which code. */
export const HOSTILE: Readonly<Record<string, { query: string; code: string }>> = {
  'relations too deep': { query: deep(6), code: 'QUERY_TOO_DEEP' },
  'too deep for its levels': { query: deep(40), code: 'QUERY_TOO_DEEP' },
  'too many root fields': {
    query: `{ ${many(100, (at) => `a${at}: articles { data { id } }`)} }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'too long': {
    query: `{ articles { data { ${many(6_000, () => 'id')} } } }`,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  'ten thousand tokens': {
    query: `{ ${many(3_400, (at) => `a${at}: __typename`)} }`,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  'comments without end': {
    query: `{ articles { data { id } } } ${'#\n'.repeat(100_000)}`,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  'one name many times': {
    query: `{ articles { data { attributes { ${many(4_900, () => 'nonsense')} } } } }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  'fragments in circles': {
    query:
      '{ articles { ...A } } fragment A on ArticleEntityResponseCollection { data { id } ...B } fragment B on ArticleEntityResponseCollection { ...A }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  'fragments that double': {
    query: `{ articles { data { attributes { ...F0 } } } } ${many(
      15,
      (at) =>
        `fragment F${at} on Article { a: author { data { attributes { articles { data { attributes { ...F${at + 1} ...F${at + 1} } } } } } } b: author { data { attributes { articles { data { attributes { ...F${at + 1} } } } } } } }`,
    )} fragment F15 on Article { title }`,
    code: 'QUERY_TOO_DEEP',
  },
  'wide fragments': {
    query: `{ articles { data { attributes { ${many(300, (at) => `a${at}: author { ...W }`)} } } } }
      fragment W on AuthorEntityResponse { ${many(300, (at) => `b${at}: __typename`)} }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'fragments that double in introspection': {
    query: `{ __type(name: "Query") { ...F0 } } ${many(
      40,
      (at) =>
        `fragment F${at} on __Type { a: ofType { ...F${at + 1} } b: ofType { ...F${at + 1} } }`,
    )} fragment F40 on __Type { name }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'all types many times': {
    query: `{ __schema { ${many(300, (at) => `a${at}: types { fields { args { type { name } } } }`)} } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'types of fields of types': {
    query: `{ __schema { types { fields { type { fields { ${many(1_000, (at) => `a${at}: name`)} } } } } } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'one value under many names': {
    query: `{ articles(pagination: { pageSize: 100 }) { data { attributes {
      categories(pagination: { pageSize: 50 }) { data { attributes { ${many(1_000, (at) => `a${at}: name`)} } } } } } } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'one relation under many names': {
    query: `{ article(id: 1) { data { attributes { ${many(450, (at) => `a${at}: author { data { id } }`)} } } } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'one id under many names': {
    query: `{ post(id: 1) { ${many(1_600, (at) => `a${at}: authorId`)} } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'pages of no size': {
    query: `{ post(id: 1) { ${many(450, (at) => `a${at}: tags(limit: 0) { total }`)} } }`,
    code: 'QUERY_TOO_COMPLEX',
  },
  'a long text': {
    query: `{ articles(filters: { title: { eq: "${'x'.repeat(200_000)}" } }) { data { id } } }`,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  'many lines': {
    query: `{ articles { data { id } } ${'\n'.repeat(20_000)} }`,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  'many variables': {
    query: `query (${many(1_200, (at) => `$v${at}: Int`)}) { articles { data { id } } }`,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  'brackets without end': {
    query: `{ articles(filters: ${'{ and: ['.repeat(1_200)}`,
    code: 'QUERY_TOO_DEEP',
  },
  'nested filters': {
    query: `{ articles(filters: ${'{ not: '.repeat(1_000)}{}${'}'.repeat(1_000)}) { data { id } } }`,
    code: 'BAD_USER_INPUT',
  },
}
