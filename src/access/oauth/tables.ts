import type { Generated } from 'kysely'
import type { AccessTables } from '../tables.ts'

export interface OAuthTables extends AccessTables {
  access_oauth_clients: {
    id: Generated<number>
    client_id: string
    secret_hash: string
    user_id: number
    api_key_id: number
    name: string
    /** Space separated, as on the wire. */
    scopes: string
    disabled: 0 | 1
    generation: number
    secret_rotated_at: number | null
    created_at: number
    updated_at: number
  }
  access_oauth_tokens: {
    token_hash: string
    client_id: string
    generation: number
    scopes: string
    created_at: number
    expires_at: number
  }
}
