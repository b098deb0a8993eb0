import type { ContentModel, LocaleChoice } from '#content'
import type { Context } from './context.ts'

/** Types that are not localised have only one variant: the parameters mean nothing there. */
export function parseLocale({ model, type, parameters }: Context): LocaleChoice {
  const wanted = parameters.text('locale') || undefined
  const given = parameters.text('fallback_locale') || undefined
  if (!type.localized) return { kind: 'default' }
  if (wanted?.toLowerCase() === 'all') return { kind: 'all' }
  if (wanted === undefined && given === undefined) return { kind: 'default' }
  const code = codeOf(model, wanted ?? model.defaultLocale)
  return { kind: 'one', code, fallback: fallbackOf(model, code, given) }
}

/** As the store spells it; an unknown code stays as it is and matches nothing. */
export function codeOf(model: ContentModel, code: string): string {
  return model.findLocale(code)?.code ?? code
}

function fallbackOf(model: ContentModel, code: string, given: string | undefined): string[] {
  if (given === undefined) return []
  if (given !== 'auto') return [codeOf(model, given)]
  const chain: string[] = []
  let next = model.findLocale(code)?.fallback ?? null
  while (next !== null && !chain.includes(next)) {
    chain.push(next)
    next = model.findLocale(next)?.fallback ?? null
  }
  return chain
}
