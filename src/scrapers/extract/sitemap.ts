import { parseXml, textOf, toUrl } from './dom.ts'

export interface Sitemap {
  readonly pages: readonly string[]
  /** Of an index: the sitemaps it names. */
  readonly sitemaps: readonly string[]
}

const MAX_ADDRESSES = 50_000

/** A sitemap, an index of sitemaps, or a plain list of addresses (sitemaps.org protocol). */
export function readSitemap(text: string, base: string): Sitemap {
  const isXml = /<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/i.test(text.slice(0, 4_000))
  if (!isXml) return { pages: addressesIn(text.split(/\r?\n/), base), sitemaps: [] }
  const document = parseXml(text)
  const within = (name: string) =>
    addressesIn(
      [...document.querySelectorAll(`${name} > loc`)].map((each) => textOf(each) ?? ''),
      base,
    )
  return { pages: within('url'), sitemaps: within('sitemap') }
}

function addressesIn(texts: readonly string[], base: string): string[] {
  const found = texts.flatMap((text) =>
    /^\s*https?:/i.test(text) ? (toUrl(text, base) ?? []) : [],
  )
  return found.slice(0, MAX_ADDRESSES)
}
