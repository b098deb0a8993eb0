import type { DomainError, Issue } from '../errors.ts'
import type { RenderError } from './envelope.ts'
import { statusOf } from './statuses.ts'

const MAX_DETAILS = 50

/** The 403s of the access contract §3: who presents the right secret is told why it fails. */
const KEY_REFUSALS = new Set(['key_expired', 'key_revoked', 'key_rotated', 'user_disabled'])

/** The house envelope: `/api/v1` and everything without a shape of its own (REST conventions §6). */
export const renderError: RenderError = (error) => {
  const status = statusOf[error.kind]
  const { message, facts } = error
  // Doc 2 §5: refusing the key itself answers with bare text, unlike every other error here.
  if (isKeyRefusal(error)) {
    const code = error.kind === 'unauthenticated' ? {} : { code: error.code }
    return { status, body: { error: message, ...code, ...facts } }
  }
  const details = detailsOf(status, error)
  return { status, body: { error: { code: error.code, message, ...facts, ...details } } }
}

/** Wrong email or password at sign-in is no matter of keys: it has the object form. */
function isKeyRefusal({ kind, code }: DomainError): boolean {
  if (kind === 'unauthenticated') return code !== 'invalid_credentials'
  return kind === 'forbidden' && KEY_REFUSALS.has(code)
}

/** Forms need them; only where the input is what is wrong. */
function detailsOf(status: number, { issues }: DomainError) {
  if (issues.length === 0 || (status !== 400 && status !== 422)) return {}
  return { details: issues.slice(0, MAX_DETAILS).map(renderIssue) }
}

/** `field` is the member by its names and indexes, outermost first: `operations.0.data.title`. */
function renderIssue({ path, rule, message }: Issue) {
  return { field: path.length > 0 ? path.join('.') : 'body', code: rule, message }
}
