/** What a gateway needs to know of a GraphQL document: the operation, its name and its root fields. */
export interface GraphqlOperation {
  readonly operation: 'query' | 'mutation' | 'subscription'
  readonly name: string | undefined
  /** In order, aliases resolved, fragments followed. */
  readonly rootFields: readonly string[]
}

interface Selection {
  readonly fields: string[]
  readonly spreads: string[]
}

const TOKEN =
  /"""(?:[^"\\]|\\"""|\\(?!""")|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|\.\.\.|[A-Za-z_]\w*|[^\s,\ufeff]/g
const OPENING = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
])
const MAX_DEPTH = 50
/** No document that a person or a program writes has more; reading a hostile one must stay cheap. */
const MAX_TOKENS = 50_000

/** Undefined for what is no document of operations, or does not say which of several is meant. */
export function parseGraphql(
  text: string,
  wanted: string | undefined,
): GraphqlOperation | undefined {
  const tokens = tokensOf(text)
  const operations: (Omit<GraphqlOperation, 'rootFields'> & { selection: Selection })[] = []
  const fragments = new Map<string, Selection>()
  let at = 0
  while (at < tokens.length) {
    const word = tokens[at] ?? ''
    const isShort = word === '{'
    const operation = isShort ? 'query' : word
    const isFragment = operation === 'fragment'
    if (!isFragment && !isOperation(operation)) return undefined
    const given = isShort ? undefined : tokens[at + 1]
    const name = given !== undefined && /^\w+$/.test(given) ? given : undefined
    while (at < tokens.length && tokens[at] !== '{') skip()
    const selection = readSelection(0)
    if (!selection) return undefined
    if (isOperation(operation)) operations.push({ operation, name, selection })
    else fragments.set(name ?? '', selection)
  }
  const meant = operations.filter(({ name }) => wanted === undefined || name === wanted)
  const [only] = meant
  if (meant.length !== 1 || !only) return undefined
  const rootFields = [...new Set(fieldsOf(only.selection, new Set()))]
  return { operation: only.operation, name: only.name, rootFields }

  /** Over one token, or over everything in brackets that it opens. */
  function skip(): void {
    const closing = OPENING.get(tokens[at++] ?? '')
    if (closing === undefined) return
    for (let depth = 1; at < tokens.length && depth > 0; at++) {
      if (OPENING.has(tokens[at] ?? '')) depth++
      else if (/^[)}\]]$/.test(tokens[at] ?? '')) depth--
    }
  }

  function readSelection(depth: number): Selection | undefined {
    if (tokens[at] !== '{' || depth > MAX_DEPTH) return undefined
    const selection: Selection = { fields: [], spreads: [] }
    at++
    while (at < tokens.length && tokens[at] !== '}') {
      if (tokens[at] === '...') {
        if (!readSpread(selection, depth)) return undefined
      } else readField(selection)
    }
    if (at++ >= tokens.length) return undefined
    return selection
  }

  function readField({ fields }: Selection): void {
    const isAlias = tokens[at + 1] === ':'
    const name = tokens[at + (isAlias ? 2 : 0)] ?? ''
    at += isAlias ? 3 : 1
    if (/^\w+$/.test(name)) fields.push(name)
    skipRest()
  }

  function readSpread(selection: Selection, depth: number): boolean {
    at++
    const word = tokens[at]
    if (word !== undefined && /^\w+$/.test(word) && word !== 'on') {
      at++
      skipDirectives()
      return selection.spreads.push(word) > 0
    }
    if (word === 'on') at += 2
    skipDirectives()
    const inner = readSelection(depth + 1)
    if (!inner) return false
    selection.fields.push(...inner.fields)
    selection.spreads.push(...inner.spreads)
    return true
  }

  /** Arguments, directives and what is selected below a field. */
  function skipRest(): void {
    if (tokens[at] === '(') skip()
    skipDirectives()
    if (tokens[at] === '{') skip()
  }

  function skipDirectives(): void {
    while (tokens[at] === '@') {
      at += 2
      if (tokens[at] === '(') skip()
    }
  }

  function fieldsOf({ fields, spreads }: Selection, seen: Set<string>): string[] {
    const spread = spreads.flatMap((name) => {
      const fragment = fragments.get(name)
      if (!fragment || seen.has(name)) return []
      seen.add(name)
      return fieldsOf(fragment, seen)
    })
    return [...fields, ...spread]
  }
}

/** Without comments and texts; none when there are too many. */
function tokensOf(text: string): string[] {
  const tokens: string[] = []
  let count = 0
  for (const [token] of text.matchAll(TOKEN)) {
    if (++count > MAX_TOKENS) return []
    if (!token.startsWith('#') && !token.startsWith('"')) tokens.push(token)
  }
  return tokens
}

function isOperation(word: string): word is GraphqlOperation['operation'] {
  return word === 'query' || word === 'mutation' || word === 'subscription'
}
