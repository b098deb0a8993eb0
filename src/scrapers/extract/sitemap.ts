import { Parser } from 'htmlparser2'
import { BROKEN_OFF, MAX_DEPTH, toUrl } from './dom.ts'
import { isFeed, readFeed } from './feed.ts'
import { CUT } from './readable.ts'

export interface Sitemap {
  readonly pages: readonly string[]
  /** Of an index: the sitemaps it names. */
  readonly sitemaps: readonly string[]
  /** What the log should say. */
  readonly notes: readonly string[]
}

/** The protocol allows no more in one file. */
const MAX_ADDRESSES = 50_000
const TOO_MANY = `The sitemap names more than ${MAX_ADDRESSES} addresses; the rest was not read`

const NO_SITEMAP = 'There is no sitemap: what came instead names no addresses'

/** A sitemap, an index of sitemaps, a feed, or a plain list of addresses (sitemaps.org protocol). */
export function readSitemap(text: string, base: string): Sitemap {
  const head = text.slice(0, 4_000)
  if (/<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/i.test(head)) return readXml(text, base)
  return isFeed(head) ? fromFeed(text, base) : readLines(text, base)
}

function fromFeed(text: string, base: string): Sitemap {
  const { entries, notes } = readFeed(text, base)
  return { pages: entries.flatMap(({ url }) => url ?? []), sitemaps: [], notes }
}

function readLines(text: string, base: string): Sitemap {
  const all = text.split(/\r\n|\r|\n/).flatMap((line) => toAddress(line, base) ?? [])
  const notes = all.length > MAX_ADDRESSES ? [TOO_MANY] : []
  // Sites that are down, or have no sitemap, answer with a page of theirs.
  if (all.length === 0 && text.trim() !== '') notes.push(NO_SITEMAP)
  return { pages: all.slice(0, MAX_ADDRESSES), sitemaps: [], notes }
}

/** Without a node for every tag: those of a long sitemap would hold up the runs of everybody. */
function readXml(text: string, base: string): Sitemap {
  const pages: string[] = []
  const sitemaps: string[] = []
  const notes: string[] = []
  const open: string[] = []
  let prefix = ''
  let isOver = false
  /** What is being read: the list it goes to, and how deep its element is. */
  let address: { readonly into: string[]; readonly depth: number; text: string } | null = null
  const parser = new Parser({ onopentagname, ontext, onclosetag }, { xmlMode: true })
  parser.write(text)
  isOver = true
  parser.end()
  return { pages, sitemaps, notes }

  function onopentagname(name: string) {
    if (open.length === 0) prefix = /^.*:/.exec(name)?.[0] ?? ''
    const into = name === `${prefix}loc` ? listOf(open.at(-1)) : undefined
    if (into && !address) address = { into, depth: open.length, text: '' }
    open.push(name)
    if (open.length > MAX_DEPTH) leaveRest(CUT)
  }

  function listOf(parent: string | undefined): string[] | undefined {
    if (parent === `${prefix}url`) return pages
    return parent === `${prefix}sitemap` ? sitemaps : undefined
  }

  function ontext(piece: string) {
    if (address) address.text += piece
  }

  /** What only the end of the document ends may be half an address. */
  function onclosetag() {
    open.pop()
    if (isOver && notes.length === 0) notes.push(BROKEN_OFF)
    if (isOver || address?.depth !== open.length) return
    const { into, text: found } = address
    address = null
    // Addresses should be whole; of a list of them a relative one can be nothing else.
    const url = toUrl(found.trim(), base)
    if (url === null) return
    if (into.length === MAX_ADDRESSES) leaveRest(TOO_MANY)
    else into.push(url)
  }

  function leaveRest(note: string) {
    notes.push(note)
    parser.pause()
  }
}

/** A line of any text may be anything, so that addresses are whole there. */
function toAddress(text: string, base: string): string | null {
  return /^\s*https?:/i.test(text) ? toUrl(text.trim(), base) : null
}
