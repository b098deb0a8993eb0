import { parseXml, textOf, toUrl } from './dom.ts'

export interface Sitemap {
  readonly pages: readonly string[]
  /** Of an index: the sitemaps it names. */
  readonly sitemaps: readonly string[]
  /** What the log should say. */
  readonly notes: readonly string[]
}

const MAX_ADDRESSES = 50_000

/** A sitemap, an index of sitemaps, or a plain list of addresses (sitemaps.org protocol). */
export function readSitemap(text: string, base: string): Sitemap {
  const isXml = /<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/i.test(text.slice(0, 4_000))
  if (!isXml)
    return limit({ pages: addressesIn(text.split(/\r?\n/), base), sitemaps: [], notes: [] })
  const { document, notes } = parseXml(text)
  const within = (name: string) =>
    addressesIn(
      [...document.querySelectorAll(`${name} > loc`)].map((each) => textOf(each) ?? ''),
      base,
    )
  return limit({ pages: within('url'), sitemaps: within('sitemap'), notes })
}

function addressesIn(texts: readonly string[], base: string): string[] {
  return texts.flatMap((text) => (/^\s*https?:/i.test(text) ? (toUrl(text, base) ?? []) : []))
}

/** The protocol allows no more in one file. */
function limit({ pages, sitemaps, notes }: Sitemap): Sitemap {
  if (pages.length <= MAX_ADDRESSES && sitemaps.length <= MAX_ADDRESSES) {
    return { pages, sitemaps, notes }
  }
  const note = `The sitemap names more than ${MAX_ADDRESSES} addresses; the rest was not read`
  return {
    pages: pages.slice(0, MAX_ADDRESSES),
    sitemaps: sitemaps.slice(0, MAX_ADDRESSES),
    notes: [...notes, note],
  }
}
