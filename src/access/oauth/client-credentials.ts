import { invalidRequest, type Scheme } from './errors.ts'
import { type Form, required } from './form.ts'

export interface ClientCredentials {
  readonly clientId: string
  readonly secret: string
  readonly scheme: Scheme
}

const BASIC = /^basic(?: +(.*))?$/i

/**
 * What a client presents to prove who it is (RFC 6749 §2.3.1); null for nothing at all. A Basic
 * header that cannot be read is the credentials of nobody.
 */
export function parseClientCredentials(
  authorization: string | undefined,
  form: Form,
): ClientCredentials | null {
  const [isBasic, encoded = ''] = BASIC.exec(authorization ?? '') ?? []
  if (isBasic === undefined) return fromBody(form)
  if (form.has('client_secret')) throw bothWays()
  const [clientId, secret] = decodeBasic(encoded)
  // Some clients repeat who they are in the body, which proves nothing a second time.
  if (form.has('client_id') && form.get('client_id') !== clientId) throw bothWays()
  return { clientId, secret, scheme: 'basic' }
}

function fromBody(form: Form): ClientCredentials | null {
  if (!form.has('client_id') && !form.has('client_secret')) return null
  return {
    clientId: required(form, 'client_id'),
    secret: required(form, 'client_secret'),
    scheme: 'body',
  }
}

/** Both parts are form-encoded inside the base64 (RFC 6749 §2.3.1), unlike in RFC 7617. */
function decodeBasic(encoded: string): [clientId: string, secret: string] {
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon === -1) return ['', '']
  try {
    return [decodeForm(text.slice(0, colon)), decodeForm(text.slice(colon + 1))]
  } catch {
    return ['', '']
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function bothWays() {
  return invalidRequest('The client authenticates in the header and in the body; use one of them')
}
