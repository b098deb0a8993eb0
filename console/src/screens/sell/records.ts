export interface Plan {
  readonly id: number
  readonly name: string
  readonly requests_per_month: number
  readonly requests_per_minute: number
  readonly endpoints: readonly string[]
  readonly price_monthly: number
  readonly currency: string
  readonly keys_per_user?: number
}

export interface User {
  readonly id: number
  readonly email: string
  readonly name: string | null
  readonly access: 'read' | 'write' | 'admin'
  readonly status: 'active' | 'disabled'
  readonly created_at: string
}

export interface Key {
  readonly id: number
  readonly user_id: number
  readonly plan_id: number
  readonly name: string | null
  readonly key_prefix: string | null
  readonly access: 'read' | 'write' | 'admin'
  readonly status: 'active' | 'revoked' | 'expired'
  readonly expires_at: string | null
  readonly created_at: string
  readonly last_used_at: string | null
}

export const TABS = [
  { path: '/sell', label: 'Plans' },
  { path: '/sell/users', label: 'Users' },
  { path: '/sell/keys', label: 'Keys' },
  { path: '/sell/usage', label: 'Usage' },
  { path: '/sell/invoices', label: 'Invoices' },
]
