import type { AccessLevel } from '#kernel'

/** Access contract §5. Its requests are limited and metered on the key record `keyId`. */
export interface Client {
  readonly id: number
  readonly clientId: string
  readonly name: string
  readonly userId: number
  readonly planId: number
  readonly keyId: number
  readonly scopes: readonly AccessLevel[]
  readonly isDisabled: boolean
  readonly secretRotatedAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** A client with what proves that it is the one. */
export interface StoredClient extends Client {
  readonly secretHash: string
  /** Tokens of an earlier generation are dead. */
  readonly generation: number
}

/** A token of a client that is not disabled. */
export interface StoredToken {
  readonly clientId: string
  readonly keyId: number
  /** What was granted and is still among the scopes of the client. */
  readonly scopes: readonly AccessLevel[]
  readonly expiresAtMs: number
}
