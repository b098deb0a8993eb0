import type { FastifyRequest } from 'fastify'
import type { Commerce } from '#commerce'
import type { Content } from '#content'

export interface CommerceDialectDeps {
  readonly content: Pick<Content, 'model' | 'entryTemplates' | 'readEntries' | 'find'>
  readonly commerce: Commerce
  /** Contract §9. */
  readonly settings: { readonly enabled: boolean; readonly maxPageSize: number }
  /** Where clients see us, for absolute URLs. */
  origin(request: FastifyRequest): string
}

/** Of the stock resource, which is open to whoever JSON:API is open to. */
export interface StockDeps {
  readonly content: Pick<Content, 'model' | 'entryTemplates' | 'readEntries' | 'entries'>
  settings(): { readonly publicRead: boolean; readonly readOnly: boolean }
}
