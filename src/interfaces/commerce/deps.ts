import type { Commerce } from '#commerce'
import type { Content } from '#content'

export interface CommerceDialectDeps {
  readonly content: Pick<Content, 'model' | 'entryTemplates' | 'readEntries'>
  readonly commerce: Commerce
  /** Contract §9. */
  readonly settings: { readonly enabled: boolean; readonly maxPageSize: number }
}
