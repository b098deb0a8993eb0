import { attributeOf, baseOf, type Document } from './dom.ts'

const FOLLOWED = 'a[href], area[href], link[rel~="next"][href], link[rel~="prev"][href]'

/** Addresses a page leads to, in its order, none twice; none of a page that asks for that. */
export function findLinks(document: Document, url: string): string[] {
  if (forbidsFollowing(document)) return []
  const base = baseOf(document, url)
  const found = new Set<string>()
  const seen = new Set<string>()
  for (const element of document.querySelectorAll(FOLLOWED)) {
    const rel = attributeOf(element, 'rel')?.toLowerCase().split(/\s+/) ?? []
    if (rel.includes('nofollow')) continue
    const href = element.getAttribute('href')?.trim() ?? ''
    if (seen.has(href)) continue
    seen.add(href)
    const target = URL.parse(href, base)
    if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:')) continue
    if (target.href.includes('#')) target.hash = ''
    found.add(target.href)
  }
  return [...found]
}

/** `<meta name="robots" content="nofollow">`, also when it is said to us by name. */
function forbidsFollowing(document: Document): boolean {
  for (const meta of document.querySelectorAll('meta[name][content]')) {
    const name = attributeOf(meta, 'name')?.toLowerCase()
    if (name !== 'robots' && name !== 'entrepot') continue
    const words =
      attributeOf(meta, 'content')
        ?.toLowerCase()
        .split(/[\s,]+/) ?? []
    if (words.includes('nofollow') || words.includes('none')) return true
  }
  return false
}
