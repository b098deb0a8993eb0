import type { Subrequest } from './blueprint.ts'

/** The answer to one request. */
export interface Subresponse {
  /** That of the request, or with `#uri{0}` behind it where tokens made several of one. */
  readonly id: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What is sent. */
export type Ready = Pick<Subrequest, 'id' | 'method' | 'uri' | 'body' | 'headers'>

/** Why a request cannot be sent. */
interface Unready {
  readonly fault: string
}

/** `{{router.body@$.jsonapi.individual}}` */
const TOKEN = /\{\{([\w.-]+)\.(body|headers)@([^{}]+)\}\}/g

/** Different ones in one text: each is looked up by itself. */
const MOST_TOKENS = 10
const TOO_MANY: Unready = { fault: `A text may have ${MOST_TOKENS} different tokens` }

/** The tokens of one blueprint. */
export function createTokens() {
  /** What answers say is read once, however many tokens look into it. */
  const parsed = new Map<Subresponse, unknown>()
  return { fillTokens }

  /**
   * Each request with its tokens filled in: as many as there are values at the paths they name. One is made when it
   * is asked for, because a few tokens beside each other make more than fit into memory.
   */
  function fillTokens(
    request: Subrequest,
    before: readonly Subresponse[],
  ): Iterable<Ready> | Unready {
    const inUri = valuesIn(request.uri, before)
    if ('fault' in inUri) return inUri
    const inBody = valuesIn(request.body ?? '', before)
    return 'fault' in inBody ? inBody : filled(request, inUri, inBody)
  }

  function valuesIn(text: string, before: readonly Subresponse[]): Values | Unready {
    const tokens = new Map([...text.matchAll(TOKEN)].map((match) => [match[0], match]))
    if (tokens.size > MOST_TOKENS) return TOO_MANY
    const values = new Map<string, readonly string[]>()
    for (const [token, [, id = '', part = '', path = '']] of tokens) {
      const found = valuesAt(before, id, part === 'body' ? 'body' : 'headers', path)
      if ('fault' in found) return found
      values.set(token, found)
    }
    return values
  }

  function valuesAt(
    before: readonly Subresponse[],
    id: string,
    part: 'body' | 'headers',
    path: string,
  ): readonly string[] | Unready {
    const steps = parseJsonPath(path.trim())
    if (!steps) return { fault: `${path} is no path such as $.data[0].id` }
    const answers = before.filter((answer) => answer.id === id || answer.id.startsWith(`${id}#`))
    const found = answers.flatMap((answer) => findAt(partOf(answer, part), steps))
    return found.length > 0 ? found : { fault: `The answer of ${id} has nothing at ${path}` }
  }

  function partOf(answer: Subresponse, part: 'body' | 'headers'): unknown {
    if (part === 'headers') return answer.headers
    if (!parsed.has(answer)) parsed.set(answer, parse(answer.body))
    return parsed.get(answer)
  }
}

/** Of each token in a text, what it stands for. */
type Values = ReadonlyMap<string, readonly string[]>

function* filled(request: Ready, inUri: Values, inBody: Values): Generator<Ready> {
  for (const each of fill(request, 'uri', inUri)) yield* fill(each, 'body', inBody)
}

/** Values stand in URIs as they are, and in bodies as part of a JSON text. */
const ESCAPED: Readonly<Record<'uri' | 'body', (value: string) => string>> = {
  uri: (value) => value,
  body: (value) => JSON.stringify(value).slice(1, -1),
}

function* fill(request: Ready, member: 'uri' | 'body', values: Values): Generator<Ready> {
  if (values.size === 0) return yield request
  const text = request[member] ?? ''
  let at = 0
  for (const chosen of choices([...values])) {
    const escaped = text.replace(TOKEN, (token) => ESCAPED[member](chosen.get(token) ?? ''))
    yield { ...request, [member]: escaped, id: `${request.id}#${member}{${at++}}` }
  }
}

/** Every value of each token with every value of the others; those of the last one change first. */
function* choices(
  values: readonly (readonly [string, readonly string[]])[],
): Generator<ReadonlyMap<string, string>> {
  const [first, ...others] = values
  if (!first) return yield new Map()
  const [token, own] = first
  for (const value of own) {
    for (const rest of choices(others)) yield new Map([[token, value], ...rest])
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** One step: a name, a number, `*` for all members, or `..` before a name for every depth. */
type Step =
  | { readonly kind: 'name'; readonly name: string; readonly isDeep: boolean }
  | { readonly kind: 'all' }

const STEP =
  /(\.\.)?(?:\.?([\p{L}\p{N}_$-]+)|\[\s*(\d+)\s*\]|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\])|\.?(\*)|\[\s*(\*)\s*\]/uy
const MOST_STEPS = 20
const MOST_FOUND = 100
/** Objects and lists that one path is looked for in, however often it says `..`. */
const MOST_LOOKED_AT = 100_000

/** A path as JSONPath writes it, without filters and slices; undefined when it is another. */
export function parseJsonPath(text: string): readonly Step[] | undefined {
  if (!text.startsWith('$')) return undefined
  const steps: Step[] = []
  let at = 1
  while (at < text.length) {
    STEP.lastIndex = at
    const [whole = '', deep, bare, index, single, double, star, starred] = STEP.exec(text) ?? []
    if (whole === '' || steps.length === MOST_STEPS) return undefined
    at += whole.length
    const quoted = single ?? double
    const name = bare ?? index ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? ''
    if (star !== undefined || starred !== undefined) steps.push({ kind: 'all' })
    else steps.push({ kind: 'name', name, isDeep: deep !== undefined })
  }
  return steps
}

/** What lies at a path, in the order of the document; what is no text, number or truth value is left out. */
export function findAt(value: unknown, steps: readonly Step[]): readonly string[] {
  const looked = { left: MOST_LOOKED_AT }
  let found: readonly unknown[] = [value]
  for (const step of steps) {
    const next: unknown[] = []
    for (const each of found) {
      for (const one of follow(each, step, looked)) if (next.length < MOST_FOUND) next.push(one)
      if (next.length === MOST_FOUND) break
    }
    found = next
  }
  return found.flatMap((each) =>
    ['string', 'number', 'boolean'].includes(typeof each) ? [String(each)] : [],
  )
}

function follow(value: unknown, step: Step, looked: { left: number }): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return []
  if (step.kind === 'all') return Object.values(value)
  return step.isDeep ? followDeep(value, step.name, looked) : own(value, step.name)
}

/** Without a call for each depth: documents may be deeper than calls can be. */
function* followDeep(from: object, name: string, looked: { left: number }): Generator<unknown> {
  const open: unknown[] = [from]
  while (open.length > 0 && looked.left > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    looked.left--
    yield* own(value, name)
    for (const inner of Object.values(value).reverse()) open.push(inner)
  }
}

function own(value: object, name: string): readonly unknown[] {
  const found = Object.getOwnPropertyDescriptor(value, name)
  return found?.enumerable ? [found.value] : []
}
