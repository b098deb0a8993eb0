// The words all modules share. It knows no product noun and imports nothing of ours.
export { type AccessLevel, type Actor, hasAccess } from './actor.ts'
export { createBus } from './bus/bridge.ts'
export { createLocalBus, type LocalBus } from './bus/local.ts'
export type { Bus, BusMessage } from './bus/port.ts'
export { createPostgresRemote } from './bus/postgres.ts'
export { createRedisRemote } from './bus/redis.ts'
export { createRevisions, type Revisions } from './bus/revisions.ts'
export { canonicalJson } from './canonical-json.ts'
export { type Clock, createClock, type MovableClock } from './clock.ts'
export { createResilientCounters } from './counters/breaker.ts'
export { limitsUnavailable, type StoreFailurePolicy } from './counters/fallback.ts'
export { type CounterStores, connectCounters, openCounters } from './counters/open.ts'
export type {
  CounterAnswer,
  CounterResult,
  CounterStep,
  Counters,
  Seed,
  Window,
} from './counters/port.ts'
export { createPostgresCounters, type PostgresCounters } from './counters/postgres.ts'
export { type CountersTables, createCountersTable } from './counters/postgres-schema.ts'
export { COUNTERS_REDIS_OPTIONS, createRedisCounters } from './counters/redis.ts'
export { createSharedCounters, ownerIdOf, type SharedCounters } from './counters/shared-memory.ts'
export { type CsvValue, csvLine } from './csv.ts'
export {
  type Ask,
  type AskStep,
  type Batch,
  type BatchResult,
  type Cell,
  type Cells,
  type Fed,
  type RowsWith,
  rowsWith,
} from './db/ask.ts'
export { backupTo, type Copied, restoreFrom } from './db/backup.ts'
export type { AnyTables, Database, Store, Tx, WriteStep } from './db/database.ts'
export { againAfterDeadlock } from './db/deadlock.ts'
export type { SqlDialect } from './db/dialect.ts'
export { type Migration, migrate, pendingMigrations } from './db/migrate.ts'
export {
  attachDatabase,
  type DatabaseAddress,
  type DatabaseSettings,
  prepareDataDirectory,
  type StartedDatabase,
  sqliteFiles,
  startDatabase,
} from './db/open.ts'
export { carryOutIn } from './db/store.ts'
export { wordsOf } from './db/words.ts'
export {
  conflict,
  DomainError,
  type ErrorKind,
  type Issue,
  invalid,
  notFound,
  OperatorError,
  unavailable,
} from './errors.ts'
export { createOutbox, type NewEvent, type Outbox } from './events/outbox.ts'
export {
  createEventReader,
  type Event,
  type EventAudience,
  type EventReader,
} from './events/reader.ts'
export { createSequencer } from './events/sequencer.ts'
export { SEQUENCED_TOPIC } from './events/tables.ts'
export { isRawNumber, parseExactJson, type RawNumber } from './exact-json.ts'
export { type AddressRule, createAddressRule } from './http/addresses.ts'
export type { HttpApp, HttpPlugin } from './http/app.ts'
export { renderError } from './http/conventions.ts'
export { drainServer } from './http/drain.ts'
export { methodNotAllowed, type RenderError, unknownPath } from './http/envelope.ts'
export { weakEtag } from './http/etag.ts'
export { createEventStreams, type EventStream, type EventStreams } from './http/event-stream.ts'
export { badParameter, parseAfter, parseBefore, parseFlag, parseOneOf } from './http/filters.ts'
export { healthRoutes, type ReadinessCheck } from './http/health.ts'
export { sendHtml } from './http/html.ts'
export { type IdempotentRequests, useIdempotency } from './http/idempotency.ts'
export { parseJson, unsupportedMediaType } from './http/json-body.ts'
export {
  answerList,
  type FoundPage,
  type ListQuery,
  listParameters,
  parseList,
  parseListBy,
  reportUnknown,
} from './http/lists.ts'
export { createMetrics, type Metrics } from './http/metrics.ts'
export type { Mount, MountGuard } from './http/mounts.ts'
export { nodeHttp } from './http/node-http.ts'
export { publicOrigin } from './http/origin.ts'
export { createOutbound, type Outbound } from './http/outbound.ts'
export { CONSOLE_PATH, landingPage } from './http/pages.ts'
export { hasForwardingHeaders, isLoopbackAddress, isLoopbackPeer } from './http/peer.ts'
export { parseQuery, type Query, queryCredential, queryTextOf } from './http/query.ts'
export type { CachedResponse, ResponseCache } from './http/response-cache.ts'
export { createHttpServer } from './http/server.ts'
export { statusOf } from './http/statuses.ts'
export { addVary } from './http/vary.ts'
export { createIdempotency, type Idempotency } from './idempotency.ts'
export { createIds, type Ids, isUuid, randomUuid } from './ids.ts'
export { backoffMs, spreadMs } from './jobs/backoff.ts'
export { type Claim, createClaims } from './jobs/claim.ts'
export type { LeaseColumns } from './jobs/lease-columns.ts'
export { createLeases, type Leases } from './jobs/leases.ts'
export { createLedLoop, createLedLoops } from './jobs/led-loop.ts'
export { createLoop, type Loop } from './jobs/loop.ts'
export { createJournalDrain } from './journal/drain.ts'
export { CLIENT_GONE, endAfter, holdAnswer, holdLastChunk } from './journal/held-answer.ts'
export { type Journal, openJournal } from './journal/open.ts'
export type { JournalRecord } from './journal/segment-reader.ts'
export { createJournalWriter, type JournalWriter } from './journal/writer.ts'
export { isObject } from './json.ts'
export { createPayloadSchemas, problemsOfSchema } from './json-schema/schema.ts'
export {
  type Log,
  type LogSettings,
  logFile,
  type OpenLog,
  openLog,
  REOPEN_LOG,
  rotateLog,
} from './log.ts'
export { isLost, type LostSecret, resetKernelSecrets } from './lost-secrets.ts'
export { createLru, type Lru } from './lru.ts'
export { type Mail, sendMail } from './mail.ts'
export { isMasterKeyKnown, loadMasterKey, type MasterKeys, verifyMasterKey } from './master-key.ts'
export { type CursorBinding, createCursors } from './paging/cursor.ts'
export { findPage } from './paging/find-page.ts'
export { type PageLinks, renderLinkHeader } from './paging/link.ts'
export {
  type KeysetPaging,
  type Paging,
  parseIntegerId,
  parseKeyset,
  parsePaging,
  parseUuidId,
} from './paging/parse.ts'
export { cutPage, renderCursorPage, renderKeysetPage, renderOffsetPage } from './paging/render.ts'
export { createPasswords, type Passwords } from './passwords.ts'
export { type Random, random } from './random.ts'
export { createSecretBox, type SecretBox } from './secret-box.ts'
export type { Areas, SettingMember } from './settings/areas.ts'
export { createSettingsFollower } from './settings/follower.ts'
export { createSettings, type DescribedSetting, type Settings } from './settings/settings.ts'
export { createFailures, type Failures } from './threads/failures.ts'
export { giveWay } from './threads/priority.ts'
export { settleThread } from './threads/settled.ts'
export { READY, STOP, type Supervised, supervise, type Thread } from './threads/supervise.ts'
export { parseDate, parseTime, renderTime, renderTimeOrNull } from './times.ts'
