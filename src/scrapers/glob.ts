import { RE2JS } from 're2js'

export type Glob = (url: URL) => boolean

const MAX_LENGTH = 500

/** What is wrong with a pattern, to follow the name of its field, or null. */
export function checkGlob(pattern: string): string | null {
  if (pattern.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  if (!pattern.startsWith('/') && !/^[a-z*]+:\/\//i.test(pattern) && !pattern.startsWith('*')) {
    return 'must begin with / (a path), with http (a URL) or with *'
  }
  if (/\{[^}]*$/.test(pattern)) return 'has a { without }'
  if (/\[[^\]]*$/.test(pattern)) return 'has a [ without ]'
  return null
}

/**
 * `*` stands for any text within a segment, `**` for any text, `?` for one character, `{a,b}` for
 * one of several texts, `[a-z]` for one of several characters. A pattern that begins with `/` is
 * held against the path, any other against the whole URL without its fragment.
 */
export function createGlob(pattern: string): Glob {
  const expression = RE2JS.compile(`^(?:${translate(pattern)})$`)
  const ofPath = pattern.startsWith('/')
  return (url) => expression.matcher(ofPath ? url.pathname : withoutFragment(url)).matches()
}

export function createGlobs(patterns: readonly string[]): Glob {
  const globs = patterns.map(createGlob)
  return (url) => globs.some((glob) => glob(url))
}

function withoutFragment({ href, hash }: URL): string {
  return hash === '' ? href : href.slice(0, -hash.length)
}

function translate(pattern: string): string {
  return pattern.replaceAll(
    /\*\*\/?|\*|\?|\{[^}]*\}|\[[^\]]*\]|[^*?{[]/gs,
    (token) => TOKENS.get(token) ?? translateOther(token),
  )
}

const TOKENS = new Map([
  ['**', '.*'],
  // `/a/**/b` is also `/a/b`.
  ['**/', '(?:.*/)?'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
])

function translateOther(token: string): string {
  if (token.startsWith('{')) {
    return `(?:${token.slice(1, -1).split(',').map(translate).join('|')})`
  }
  if (token.startsWith('[')) {
    const inner = token.slice(1, -1)
    const not = inner.startsWith('!') || inner.startsWith('^')
    const characters = (not ? inner.slice(1) : inner).replaceAll(/[\\^[\]&~]/g, '\\$&')
    return characters === '' ? '' : `[${not ? '^' : ''}${characters}]`
  }
  return RE2JS.quote(token)
}
