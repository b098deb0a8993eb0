import type { ContentModel, ContentType } from '../model.ts'
import type { LocaleChoice } from './ast.ts'

/** The locales a list shows, in order of preference; null when all variants are shown. */
export function chosenLocales(
  model: ContentModel,
  type: Pick<ContentType, 'localized'>,
  choice: LocaleChoice,
): readonly string[] | null {
  if (!type.localized || choice.kind === 'all') return null
  if (choice.kind === 'default') return [model.defaultLocale]
  const codes = [choice.code, ...choice.fallback].flatMap(
    (code) => model.findLocale(code)?.code ?? [],
  )
  return [...new Set(codes)]
}

/** The locales that stand in for one, as they are set on the locales themselves. */
export function fallbackChain(
  model: Pick<ContentModel, 'findLocale'>,
  code: string,
): readonly string[] {
  const chain: string[] = []
  let next = model.findLocale(code)?.fallback
  while (next && next !== code && !chain.includes(next)) {
    chain.push(next)
    next = model.findLocale(next)?.fallback
  }
  return chain
}

/**
 * Which languages a caller means by the codes it wrote: `all`, one, and as what stands in for it a code or
 * `auto`. Types that are not localised have only one variant. An unknown code matches nothing.
 */
export function parseLocale(
  model: ContentModel,
  { localized }: Pick<ContentType, 'localized'>,
  wanted: string | undefined,
  instead: string | undefined,
): LocaleChoice {
  if (!localized || (wanted === undefined && instead === undefined)) return { kind: 'default' }
  if (wanted?.toLowerCase() === 'all') return { kind: 'all' }
  const code = spelled(model, wanted ?? model.defaultLocale)
  if (instead === undefined) return { kind: 'one', code, fallback: [] }
  const fallback = instead === 'auto' ? fallbackChain(model, code) : [spelled(model, instead)]
  return { kind: 'one', code, fallback }
}

/** As the store spells it; an unknown code stays as it is. */
export function spelled(model: Pick<ContentModel, 'findLocale'>, code: string): string {
  return model.findLocale(code)?.code ?? code
}
