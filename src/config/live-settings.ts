import Type from 'typebox'
import { indexFields } from './index-fields.ts'
import {
  CENTURY_DAYS,
  CENTURY_SECONDS,
  flag,
  live,
  networks,
  numbers,
  oneOf,
  share,
  text,
  texts,
  url,
  whole,
} from './kinds.ts'

/** Doc 3 §2.1: the members keep the spelling that the content delivery contract shows. */
export const delivery = live({
  enabled: flag('serve the delivery interface', { name: 'Enabled', default: true }),
  publicAccess: flag('anyone may read published content', {
    name: 'PublicAccess',
    default: true,
  }),
  keyAccess: flag('without public access, let holders of a key in', {
    name: 'KeyAccess',
    default: false,
  }),
  apiKey: Type.Optional(text('key for previews', { name: 'ApiKey', secret: true })),
  disallowedContentTypeAliases: texts('content types never delivered', {
    name: 'DisallowedContentTypeAliases',
    default: [],
  }),
  allowedContentTypeAliases: texts('when not empty, the only content types delivered', {
    name: 'AllowedContentTypeAliases',
    default: [],
  }),
  richTextOutputAsJson: flag('rich text as a tree instead of markup', {
    name: 'RichTextOutputAsJson',
    default: false,
  }),
  mediaEnabled: flag('serve media', { name: 'Media.Enabled', default: true }),
  mediaPublicAccess: flag('media follow PublicAccess; false keeps them closed', {
    name: 'Media.PublicAccess',
    default: true,
  }),
  maxTake: whole('largest page', { name: 'MaxTake', default: 1_000, min: 1, max: 10_000 }),
  unexpandedMedia: oneOf(['ids', 'summary'], 'how media look when not expanded', {
    name: 'UnexpandedMedia',
    default: 'ids',
  }),
  indexFields: indexFields('more fields that content can be filtered and sorted by', {
    name: 'IndexFields',
    default: [],
  }),
})

export const content = live({
  publicReadDefault: flag('new content types can be read without a key', { default: true }),
  // Doc 3 §8 gives the name.
  maxDepth: whole('levels of related content that populate may ask for', {
    name: 'maxDepth',
    default: 3,
    min: 1,
    max: 8,
  }),
  revisions: whole('revisions of an entry that are kept, with the newest', {
    default: 10,
    min: 0,
    max: 1_000,
  }),
})

/** The members keep the spelling of the JSON:API contract §5. */
export const jsonapi = live({
  publicRead: flag('published content can be read without credentials', {
    name: 'PublicRead',
    default: true,
  }),
  readOnly: flag('refuse every write', { name: 'ReadOnly', default: false }),
})

/** The limits of the GraphQL contract §3. */
export const graphql = live({
  introspection: flag('show schemas to whoever asks', { default: true }),
  maxTokens: whole('tokens of a document, and fields when its fragments are spread', {
    name: 'maxTokens',
    default: 5_000,
    min: 100,
    max: 20_000,
  }),
  maxDepth: whole('levels of fields', { name: 'maxDepth', default: 20, min: 5, max: 60 }),
  maxHops: whole('relations, media and components one below the other', {
    name: 'maxHops',
    default: 5,
    min: 1,
    max: 12,
  }),
  maxAliases: whole('fields of the root', { name: 'maxAliases', default: 20, min: 1, max: 500 }),
  maxCost: whole('entries that a query could show', {
    name: 'maxCost',
    default: 10_000,
    min: 100,
    max: 1_000_000,
  }),
  timeoutMs: whole('milliseconds that an operation may take', {
    name: 'timeoutMs',
    default: 10_000,
    min: 10,
    max: 60_000,
  }),
})

export const limits = live({
  anonymousPerMinute: whole('reads without a key per address and minute, 0 for no limit', {
    default: 0,
  }),
  anonymousWritesPerMinute: whole(
    'entries that may be created without a key per address and minute, 0 for no limit',
    { default: 10 },
  ),
  ietfHeaders: flag('send the RateLimit headers of the IETF draft too', { default: true }),
  onStoreFailure: oneOf(
    ['local', 'open', 'closed'],
    'when the counter store is away: count locally, let through or refuse',
    { default: 'local' },
  ),
})

export const webhooks = live({
  retrySchedule: numbers('seconds before each further attempt', {
    default: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    max: 2_592_000,
  }),
  jitter: share('share by which a wait is varied at random', { default: 0.2 }),
  disableAfter: whole('failures in a row that disable a subscription', {
    default: 100,
    min: 1,
  }),
  disableMinFailingSeconds: whole('and the least time they must have lasted', {
    default: 0,
    max: CENTURY_SECONDS,
  }),
  rotationWindowSeconds: whole('time an old secret stays valid', {
    default: 600,
    max: CENTURY_SECONDS,
  }),
  maxSubscriptionsPerConsumer: whole('subscriptions of one consumer', {
    default: 10_000,
    min: 1,
  }),
  maxPayloadBytes: whole('largest event', { default: 262_144, min: 1_024 }),
  retentionDays: whole('days that events and deliveries are kept', {
    default: 30,
    min: 1,
    max: CENTURY_DAYS,
  }),
  workers: whole('deliveries under way at once', { default: 1_024, min: 1, max: 16_384 }),
  httpsOnly: flag('refuse endpoints without TLS', { default: false }),
  allowNets: networks('internal networks that deliveries may reach', { default: [] }),
  proxyUrl: Type.Optional(url('proxy that deliveries go through', ['http', 'https'])),
  smtpUrl: Type.Optional(
    url('mail server of notifications', ['smtp', 'smtps'], { derived: 'as smtp.url' }),
  ),
  smtpSender: Type.Optional(text('sender of notifications', { derived: 'as smtp.sender' })),
})

export const scrapers = live({
  maxConcurrentRuns: whole('runs at once on this node', { default: 10, min: 1, max: 1_000 }),
  catchUp: oneOf(['one', 'none'], 'runs for ticks missed while no node was up', {
    default: 'one',
  }),
  allowNets: networks('internal networks that scrapers may reach', { default: [] }),
  renderedPages: whole('pages shown in a browser at once on this node', {
    default: 4,
    min: 1,
    max: 64,
  }),
  // A program that the server runs is named by whoever holds the machine, not by an admin key.
  chromium: Type.Optional(
    text('path of a Chromium, for pages that scripts make; unset refuses them', { fixed: true }),
  ),
  chromiumUser: Type.Optional(
    text('ordinary user that Chromium runs as when the server is root', { fixed: true }),
  ),
})
