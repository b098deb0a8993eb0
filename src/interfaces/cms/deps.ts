import type { Content } from '#content'
import type { Store } from '#db'
import type { Person } from './render/people.ts'

/** What the dialect needs of the content store. */
type CmsContent = Pick<
  Content,
  | ('model' | 'entryTemplates' | 'readEntries' | 'find' | 'findOne')
  | ('fileTemplates' | 'readFiles' | 'entries' | 'media')
>

export interface CmsDeps {
  readonly content: CmsContent
  /** Steps that populate may take (Doc 3 §8); a setting that can change while the server runs. */
  maxDepth(): number
  readonly transaction: Store['transaction']
  /** Accounts, for those who may see who wrote an entry. */
  readonly people: { byIds(ids: readonly number[]): Promise<readonly Person[]> }
}
