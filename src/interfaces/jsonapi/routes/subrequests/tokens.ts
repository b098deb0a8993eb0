import type { Subrequest } from './blueprint.ts'
import { findAt, parseJsonPath } from './json-path.ts'

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
