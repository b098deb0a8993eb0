import type { ContentModel } from '#content'
import { validationFault } from '../errors.ts'
import { firstOf, type Parameter } from './parameters.ts'

const TAG = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i

/** The culture of a request (contract §6.4); `code` is undefined when it is not configured. */
export interface Culture {
  readonly code: string | undefined
}

export function parseCulture(
  model: Pick<ContentModel, 'locales' | 'findLocale' | 'defaultLocale'>,
  parameters: readonly Parameter[],
  acceptLanguage: string | undefined,
): Culture {
  const given = firstOf(parameters, 'culture')?.value ?? ''
  if (given !== '' && !TAG.test(given)) {
    throw validationFault('culture', `The value '${given}' is not a culture such as en-US.`)
  }
  if (given !== '') return { code: configured(model, given) }
  // Lists, weights and `*` are what browsers and runtimes send by themselves.
  const plain = acceptLanguage?.trim() ?? ''
  return { code: TAG.test(plain) ? configured(model, plain) : model.defaultLocale }
}

/** A bare language means its first culture. */
function configured(
  { locales, findLocale }: Pick<ContentModel, 'locales' | 'findLocale'>,
  code: string,
): string | undefined {
  const known = findLocale(code)?.code
  if (known !== undefined || code.includes('-')) return known
  const start = `${code.toLowerCase()}-`
  return locales.find((locale) => locale.code.toLowerCase().startsWith(start))?.code
}
