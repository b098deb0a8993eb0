import type { ContentModel, ContentType } from '#content'
import type { Parameters } from './parameters.ts'

export type Version = 1 | 2

/** What a query is read against: one snapshot of the model for the whole request. */
export interface Context {
  readonly model: ContentModel
  readonly type: ContentType
  readonly version: Version
  readonly parameters: Parameters
}
