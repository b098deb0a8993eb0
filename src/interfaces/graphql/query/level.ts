import type { Viewer } from '#content'
import type { ContentModel, ContentType } from '#content-model'
import {
  type ContentQuery,
  type CopyState,
  type Include,
  type LocaleChoice,
  parseLocale,
  requireWrite,
} from '#content-query'
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

/** Which copies a list shows; said by types with drafts alone, and by each list for itself. */
export function stateIn(
  { viewer }: { readonly viewer: Viewer },
  thing: ContentType | 'files',
  { publicationState }: Arguments,
): { state?: CopyState } {
  if (thing === 'files' || !thing.draftAndPublish || publicationState === undefined) return {}
  if (publicationState !== 'PREVIEW') return { state: 'live' }
  requireWrite(viewer, 'Reading drafts')
  return { state: 'working' }
}

/** The same of a list of the root, which may also be asked for by status. */
export function rootState(
  to: { readonly viewer: Viewer },
  thing: ContentType,
  given: Arguments,
): Pick<ContentQuery, 'state' | 'status'> {
  const { status } = given
  if (status === 'DRAFT' || status === 'ALL') {
    requireWrite(to.viewer, 'Reading drafts')
    return { state: 'working', ...(status === 'DRAFT' && { status: 'draft' as const }) }
  }
  return { state: 'live', ...stateIn(to, thing, given) }
}
