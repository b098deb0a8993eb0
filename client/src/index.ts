/** The door of `@entrepot/client`. It knows a server only over HTTP and needs nothing but `fetch` and WebCrypto. */
export { type Client, createClient } from './client.ts'
export type { BulkOperation, BulkOutcome, Collection, Written } from './collection.ts'
export { EntrepotError, type ProblemDetail } from './error.ts'
export type { EventOptions, LiveEvent } from './events.ts'
export type { Filters } from './filters.ts'
export type { AnyContent, Included, ListOptions, MediaFile, Page, ReadOptions } from './model.ts'
export type { ClientOptions, RequestOptions } from './request.ts'
export type { Single } from './single.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookRequest,
} from './webhooks.ts'
