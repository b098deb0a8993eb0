import type { ContentModel, ContentType, LocaleChoice } from '#content'
import { type Raw, toText } from './brackets.ts'

const ALL = 'all'
const BY_CHAIN = 'auto'

/** Contract §4.4; types that are not localised have only one variant. */
export function parseLocale(query: Raw, type: ContentType, model: ContentModel): LocaleChoice {
  if (!type.localized) return { kind: 'default' }
  const wanted = toText(query, 'locale')
  if (wanted?.toLowerCase() === ALL) return { kind: 'all' }
  const fallback = parseFallback(toText(query, 'fallbackLocale'), wanted, model)
  if (wanted === undefined && fallback.length === 0) return { kind: 'default' }
  return { kind: 'one', code: codeOf(model, wanted ?? model.defaultLocale), fallback }
}

/** As the store spells it; an unknown code stays as it is and matches nothing. */
export function codeOf(model: ContentModel, code: string): string {
  return model.findLocale(code)?.code ?? code
}

function parseFallback(
  given: string | undefined,
  wanted: string | undefined,
  model: ContentModel,
): string[] {
  if (given === undefined) return []
  if (given !== BY_CHAIN) return [codeOf(model, given)]
  return chainOf(model, wanted ?? model.defaultLocale)
}

function chainOf(model: ContentModel, code: string): string[] {
  const chain: string[] = []
  let next = model.findLocale(code)?.fallback ?? null
  // Chains cannot loop, but a list that never ends would be the price of trusting that.
  while (next !== null && !chain.includes(next)) {
    chain.push(next)
    next = model.findLocale(next)?.fallback ?? null
  }
  return chain
}
