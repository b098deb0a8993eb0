import type { Generated } from 'kysely'
import type { AccessLevel } from '#kernel'

export interface CredentialTables {
  commerce_tokens: {
    token_hash: string
    user_id: number
    password_mark: string
    expires_at: number
  }
  commerce_failures: {
    name: string
    count: number
    first_at: number
    last_at: number
  }
  commerce_integrations: {
    id: Generated<number>
    name: string
    user_id: number
    api_key_id: number
    access: AccessLevel
    consumer_key: string
    /** Sealed, because signatures are verified with the clear text. */
    consumer_secret: string
    token_hash: string
    token_secret: string
    revoked_at: number | null
    created_at: number
  }
  commerce_nonces: {
    used: string
    expires_at: number
  }
}
