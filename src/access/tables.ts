import type { Generated } from 'kysely'
import type { AccessLevel, Actor } from '#kernel'

export type UserStatus = 'active' | 'disabled'
export type KeyStatus = 'active' | 'revoked' | 'expired'
/** Only `key` has a secret of its own (access contract §5). */
export type KeyKind = 'key' | 'oauth' | 'integration'

export interface AccessTables {
  access_users: {
    id: Generated<number>
    uuid: string
    email: string | null
    email_folded: string | null
    name: string | null
    name_folded: string | null
    access: AccessLevel
    status: UserStatus
    password_hash: string | null
    created_at: number
    updated_at: number
    deleted_at: number | null
    revision: number
  }
  access_plans: {
    id: Generated<number>
    name: string
    requests_per_month: number
    requests_per_minute: number
    /** JSON. */
    endpoints: string
    price_cents: number
    currency: string
    keys_per_user: number
    created_at: number
    updated_at: number
    deleted_at: number | null
    revision: number
  }
  access_keys: {
    id: Generated<number>
    user_id: number
    plan_id: number
    kind: KeyKind
    name: string | null
    key_hash: string | null
    key_prefix: string | null
    access: AccessLevel
    status: KeyStatus
    expires_at: number | null
    created_at: number
    rotated_at: number | null
    previous_key_prefix: string | null
    previous_valid_until: number | null
    revoked_at: number | null
    revoke_reason: string | null
    revision: number
  }
  /** Secrets that a rotation replaced; kept, so that their holders are told why they fail. */
  access_old_secrets: {
    key_hash: string
    key_prefix: string
    key_id: number
    valid_until: number
  }
  access_key_uses: { key_id: number; last_used_at: number }
  /** The plan a key had until a moment; without any it has had its present plan all along. */
  access_former_plans: { id: Generated<number>; key_id: number; plan_id: number; until: number }
  access_former_prices: {
    id: Generated<number>
    plan_id: number
    price_cents: number
    currency: string
    until: number
  }
  access_views: {
    id: Generated<number>
    /** Null once the user is deleted; what was shared stays. */
    user_id: number | null
    area: string
    name: string
    /** JSON. */
    query: string
    is_shared: number
    created_at: number
    updated_at: number
  }
  access_password_resets: { token_hash: string; user_id: number; expires_at: number }
  access_sign_ins: { token_hash: string; user_id: number; created_at: number; expires_at: number }
  access_tickets: {
    ticket_hash: string
    user_id: number
    api_key_id: number | null
    access: AccessLevel
    /** The kind of credential that asked for it. */
    asked_by: Actor['kind']
    expires_at: number
  }
}
