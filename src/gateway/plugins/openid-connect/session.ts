import type { Claims } from './bearer.ts'
import type { Tokens } from './grants.ts'
import type { Settings } from './settings.ts'

/** Who has signed in, as the browser keeps it for us. */
export interface Session {
  readonly startedAtMs: number
  readonly endsAtMs: number
  readonly accessToken: string | null
  readonly accessEndsAtMs: number
  readonly refreshToken: string | null
  /** As it was issued; the provider wants to see it when somebody signs out. */
  readonly idToken: string | null
  readonly claims: Claims | null
  readonly user: Claims | null
  readonly scope: string
}

const LIFETIME_SECONDS = 3_600
const TOKEN_SECONDS = 3_600
/** A session that is used is prolonged when less than this share of its time is left. */
const PROLONG_SHARE = 6

export function lifetimeOf(conf: Settings): number {
  return conf.session?.cookie?.lifetime ?? LIFETIME_SECONDS
}

/** `before` is the session whose tokens were renewed. */
export function toSession(
  conf: Settings,
  { response, claims }: Tokens,
  about: { readonly user: Claims | null; readonly nowMs: number; readonly before: Session | null },
): Session {
  const { nowMs, before } = about
  const has = (member: 'access_token' | 'id_token' | 'enc_id_token' | 'user') =>
    conf.session_contents === undefined || conf.session_contents[member] === true
  const seconds = response.expires_in ?? conf.access_token_expires_in ?? TOKEN_SECONDS
  return {
    startedAtMs: before?.startedAtMs ?? nowMs,
    endsAtMs: nowMs + lifetimeOf(conf) * 1000,
    accessToken: has('access_token') ? response.access_token : null,
    accessEndsAtMs: nowMs + seconds * 1000,
    refreshToken: response.refresh_token ?? before?.refreshToken ?? null,
    idToken: has('enc_id_token') ? (response.id_token ?? before?.idToken ?? null) : null,
    claims: has('id_token') ? (claims ?? before?.claims ?? null) : null,
    user: has('user') ? (about.user ?? before?.user ?? null) : null,
    scope: response.scope ?? before?.scope ?? conf.scope ?? 'openid',
  }
}

export function isOpen({ endsAtMs }: Session, nowMs: number): boolean {
  return nowMs < endsAtMs
}

/** The session without its access token is of no use, so it has to be renewed before. */
export function needsRenewal(conf: Settings, session: Session, nowMs: number): boolean {
  if (session.accessToken === null) return false
  return nowMs >= session.accessEndsAtMs - (conf.access_token_expires_leeway ?? 0) * 1000
}

/** The same session for longer; undefined while it is not worth a new cookie. */
export function prolong(conf: Settings, session: Session, nowMs: number): Session | undefined {
  const wholeMs = lifetimeOf(conf) * 1000
  if (session.endsAtMs - nowMs > wholeMs / PROLONG_SHARE) return undefined
  return { ...session, endsAtMs: nowMs + wholeMs }
}

/** What was opened was sealed by us, in this or an earlier version. */
export function isSession(value: unknown): value is Session {
  return (
    typeof value === 'object' && value !== null && 'endsAtMs' in value && 'accessEndsAtMs' in value
  )
}
