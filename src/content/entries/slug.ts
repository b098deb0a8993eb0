import anyAscii from 'any-ascii'

/** Leaves room for a suffix within the 255 characters of a uid. */
const LONGEST = 200

/** A name for URLs made from a text of any script; '' when nothing of it can be written. */
export function slugOf(text: string): string {
  const ascii = anyAscii(text.normalize('NFC').slice(0, LONGEST * 2)).toLowerCase()
  return ascii
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^-+|-+$/g, '')
}

/** Whether a slug was made from this base: the base itself or the base with a number. */
export function isMadeFrom(base: string, slug: string): boolean {
  return slug === base || (slug.startsWith(`${base}-`) && /^\d+$/.test(slug.slice(base.length + 1)))
}
