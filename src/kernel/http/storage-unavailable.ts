import { type DomainError, unavailable } from '../errors.ts'

/**
 * 503 for a database that did not answer in time or has no disk space left, be it a deadline of SQLite's threads, a
 * statement time limit of PostgreSQL or a lost connection: `isUnavailable` of the dialect (`kernel/db`) tells which errors are that.
 */
export function storageUnavailable(cause: unknown): DomainError {
  const message = 'The database cannot answer at present; try again'
  return unavailable('storage_unavailable', message, cause)
}
