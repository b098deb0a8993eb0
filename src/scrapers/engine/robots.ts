import { normalisePercent } from './percent.ts'

/** What a site's robots.txt says to us (RFC 9309). */
export interface Robots {
  isAllowed(url: URL): boolean
  readonly crawlDelayMs: number
  readonly sitemaps: readonly string[]
}

interface Rule {
  readonly allow: boolean
  readonly length: number
  matches(path: string): boolean
}

const TOKEN = 'entrepot'
const MAX_BYTES = 500 * 1024
const MAX_CRAWL_DELAY_MS = 30_000

const EVERYTHING: Robots = { isAllowed: () => true, crawlDelayMs: 0, sitemaps: [] }
export const ALLOW_ALL = EVERYTHING
export const DISALLOW_ALL: Robots = { ...EVERYTHING, isAllowed: isRobotsFile }

/** Reads the first 500 KiB; whatever is not understood has no effect. */
export function parseRobots(body: Buffer): Robots {
  const text = wholeLinesOf(body)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
  const groups = readGroups(text)
  const ours = groups.filter(({ agents }) => agents.has(TOKEN))
  const chosen = ours.length > 0 ? ours : groups.filter(({ agents }) => agents.has('*'))
  const rules = chosen.flatMap((group) => group.rules)
  const delays = chosen.flatMap(({ delayMs }) => (delayMs === null ? [] : [delayMs]))
  return {
    isAllowed: (url) => isRobotsFile(url) || isAllowed(rules, pathOf(url)),
    crawlDelayMs: Math.min(MAX_CRAWL_DELAY_MS, Math.max(0, ...delays)),
    sitemaps: readSitemaps(text),
  }
}

/** Half a rule is another rule: `Disallow: /a` may become `Disallow: /`. */
function wholeLinesOf(body: Buffer): Buffer {
  if (body.length <= MAX_BYTES) return body
  const start = body.subarray(0, MAX_BYTES)
  const end = Math.max(start.lastIndexOf('\n'), start.lastIndexOf('\r'))
  return start.subarray(0, Math.max(0, end))
}

/** The file itself is always allowed (RFC 9309 §2.2.2). */
function isRobotsFile({ pathname }: URL): boolean {
  return pathname === '/robots.txt'
}

/** The most specific rule decides, of equally specific ones the one that allows. */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  let best: Rule | undefined
  for (const rule of rules) {
    if (!rule.matches(path)) continue
    if (!best || rule.length > best.length || (rule.length === best.length && rule.allow)) {
      best = rule
    }
  }
  return best?.allow ?? true
}

interface Group {
  readonly agents: Set<string>
  readonly rules: Rule[]
  delayMs: number | null
}

function readGroups(text: string): Group[] {
  const groups: Group[] = []
  let current: Group | undefined
  let isNaming = false
  for (const { name, value } of linesOf(text)) {
    if (name === 'user-agent') {
      if (!isNaming || !current) {
        current = { agents: new Set(), rules: [], delayMs: null }
        groups.push(current)
      }
      isNaming = true
      current.agents.add(tokenOf(value))
      continue
    }
    if (name === 'sitemap') continue
    isNaming = isNaming && name !== 'allow' && name !== 'disallow' && name !== 'crawl-delay'
    if (!current) continue
    if (name === 'allow' || name === 'disallow') addRule(current, name === 'allow', value)
    if (name === 'crawl-delay') current.delayMs = readDelay(value) ?? current.delayMs
  }
  return groups
}

/** An empty pattern matches nothing (RFC 9309 §2.2.2). */
function addRule({ rules }: Group, allow: boolean, value: string) {
  if (value === '') return
  const pattern = normalise(value)
  rules.push({ allow, length: pattern.length, matches: createMatcher(pattern) })
}

function readDelay(value: string): number | null {
  const seconds = Number(value)
  return value !== '' && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

/** `Entrepot/1.0 (…)` names the same product as `entrepot`. */
function tokenOf(value: string): string {
  if (value.startsWith('*')) return '*'
  return (/^[A-Za-z_-]+/.exec(value)?.[0] ?? '').toLowerCase()
}

function readSitemaps(text: string): string[] {
  return linesOf(text).flatMap(({ name, value }) =>
    name === 'sitemap' && value !== '' ? [value] : [],
  )
}

function linesOf(text: string) {
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    const content = line.replace(/#.*$/, '')
    const colon = content.indexOf(':')
    if (colon < 0) return []
    const name = content.slice(0, colon).trim().toLowerCase()
    return [{ name, value: content.slice(colon + 1).trim() }]
  })
}

/** `*` stands for any text and a final `$` for the end; compared in one pass, never backwards. */
function createMatcher(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.endsWith('$')
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  return (path) => {
    const [first = '', ...rest] = pieces
    if (!path.startsWith(first)) return false
    let at = first.length
    for (const [index, piece] of rest.entries()) {
      const isLast = index === rest.length - 1
      const found = isLast && isAnchored ? lastPosition(path, piece, at) : path.indexOf(piece, at)
      if (found < at) return false
      at = found + piece.length
    }
    return !isAnchored || at === path.length
  }
}

function lastPosition(path: string, piece: string, from: number): number {
  const at = path.length - piece.length
  return at >= from && path.endsWith(piece) ? at : -1
}

function pathOf({ pathname, search }: URL): string {
  return normalise(pathname + search)
}

const ENCODER = new TextEncoder()

/** Both sides in one spelling: other than ASCII escaped, what need not be escaped is not. */
function normalise(text: string): string {
  const escaped = text.replaceAll(/[^\x20-\x7e]+/gu, (part) =>
    [...ENCODER.encode(part)].map(escapeOctet).join(''),
  )
  return normalisePercent(escaped)
}

function escapeOctet(octet: number): string {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
}
