import { type LocaleChoice, parseLocale as parseCodes } from '#content-query'
import type { Context } from './context.ts'

export function parseLocale({ model, type, parameters }: Context): LocaleChoice {
  const wanted = parameters.text('locale') || undefined
  return parseCodes(model, type, wanted, parameters.text('fallback_locale') || undefined)
}
