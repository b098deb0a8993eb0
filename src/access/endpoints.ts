/**
 * Which calls a plan includes (Doc 2 §2.1, access contract §3.1). An allow list grants only what it
 * names: whatever cannot be compared safely is not permitted.
 */

interface Pattern {
  readonly method: string
  /** null matches any one segment. */
  readonly segments: readonly (string | null)[]
  /** Ends in `**`: any rest, including none. */
  readonly open: boolean
}

type Parsed = { readonly pattern: Pattern } | { readonly problem: string }

const EVERYTHING = '*'
const METHODS = new Set(['*', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const PARAMETER = /^(\{\w+\}|:\w+)$/
const RESERVED = /[*{}%?#\s]|^:/
const VERSIONED = /^\/v\d+\//
const QUERY_OR_HASH = /[?#]/
const ABSOLUTE = /^https?:\/\/[^/?#]*/i

/** What is wrong with an endpoint of a plan; undefined when it can be used. */
export function problemOf(endpoint: string): string | undefined {
  if (endpoint === EVERYTHING) return undefined
  const parsed = parse(endpoint)
  return 'problem' in parsed ? parsed.problem : undefined
}

/** The test of a plan; endpoints that `problemOf` refuses permit nothing. */
export function compileEndpoints(
  endpoints: readonly string[],
): (method: string, path: string) => boolean {
  if (endpoints.includes(EVERYTHING)) return () => true
  const patterns = endpoints.flatMap(patternsOf)
  return (method, path) => {
    if (method === 'OPTIONS') return true
    const segments = path.split('/').slice(1)
    if (segments.at(-1) === '') segments.pop()
    // No route has such a segment, and a handler that resolved it would serve another path.
    if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
      return false
    }
    return patterns.some((pattern) => matches(pattern, method, segments))
  }
}

/**
 * The path as the router resolves it: without scheme and host, cut at `?` or `#`, each segment
 * decoded once. A separator that came encoded stays so, because for the router it is none.
 */
export function routedPath(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(ABSOLUTE, '')
  const end = local.search(QUERY_OR_HASH)
  const path = (end === -1 ? local : local.slice(0, end)) || '/'
  if (!path.includes('%')) return path
  return path.split('/').map(decodeSegment).join('/')
}

function patternsOf(endpoint: string): Pattern[] {
  const parsed = parse(endpoint)
  if ('problem' in parsed) return []
  const [, path = ''] = endpoint.split(' ')
  // Doc 2 §9 writes versioned paths without `/api`.
  if (!VERSIONED.test(path)) return [parsed.pattern]
  const { pattern } = parsed
  return [pattern, { ...pattern, segments: ['api', ...pattern.segments] }]
}

function parse(endpoint: string): Parsed {
  const [method = '', path, ...rest] = endpoint.split(' ')
  if (path === undefined || rest.length > 0) {
    return { problem: 'must be a method and a path, such as GET /v1/articles, or *' }
  }
  if (!METHODS.has(method))
    return { problem: `${method || 'the method'} is not an HTTP method or *` }
  if (!path.startsWith('/')) return { problem: 'the path must start with /' }
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  const open = segments.at(-1) === '**'
  if (open) segments.pop()
  const wrong = segments.find((segment) => !isSegment(segment))
  if (wrong !== undefined) return { problem: segmentProblem(wrong) }
  const compiled = segments.map((segment) => (isParameter(segment) ? null : segment))
  return { pattern: { method, segments: compiled, open } }
}

function isParameter(segment: string): boolean {
  return segment === '*' || PARAMETER.test(segment)
}

function isSegment(segment: string): boolean {
  if (isParameter(segment)) return true
  return segment !== '' && segment !== '.' && segment !== '..' && !RESERVED.test(segment)
}

function segmentProblem(segment: string): string {
  if (segment === '') return 'the path must not contain //'
  if (segment === '**') return '** may only stand at the end'
  return `"${segment}" is neither a plain segment nor *, {name} or :name`
}

function matches({ method, segments, open }: Pattern, asked: string, path: readonly string[]) {
  if (method !== '*' && method !== asked && !(method === 'GET' && asked === 'HEAD')) return false
  if (open ? path.length < segments.length : path.length !== segments.length) return false
  return segments.every((segment, at) => segment === null || segment === path[at])
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('/', '%2F')
  } catch {
    // The router refuses such a URL, so nothing is behind it.
    return segment
  }
}
