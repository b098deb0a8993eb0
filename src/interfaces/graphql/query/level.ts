import type { Viewer } from '#content'
import type { ContentModel, ContentType } from '#content-model'
import type { Include, LocaleChoice } from '#content-query'
import { parseLocale } from '#content-query'
import type { Form } from '../schema.ts'
import type { Arguments } from './arguments.ts'
import { bad } from './paging.ts'
import type { Picked } from './picked.ts'

/** What a question of the root is compiled with. */
export interface Compiling {
  readonly model: ContentModel
  readonly form: Form
  readonly viewer: Viewer
  /** The arguments of a field, with slots in place of values. */
  argumentsOf(picked: Picked): Arguments
}

/** Where includes are added as fields are met that need them. */
export type Includes = Include[]

/** An unknown code is refused: an empty list would be taken for an answer. */
export function localeIn(
  model: ContentModel,
  type: ContentType,
  { locale }: Arguments,
): LocaleChoice {
  if (typeof locale !== 'string' || locale === '')
    return parseLocale(model, type, undefined, undefined)
  if (locale.toLowerCase() !== 'all' && !model.findLocale(locale)) {
    throw bad('locale', `There is no locale ${locale}`)
  }
  return parseLocale(model, type, locale, undefined)
}
