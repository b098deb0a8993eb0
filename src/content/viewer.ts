import type { AccessLevel } from '#kernel'

/** On whose behalf the store is read; `level` is null when no credential was presented. */
export interface Viewer {
  readonly level: AccessLevel | null
  /** Without a credential: sees also files that nothing refers to (content delivery, `Media.PublicAccess`). */
  readonly seesUnusedFiles?: boolean
}
