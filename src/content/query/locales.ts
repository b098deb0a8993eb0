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
