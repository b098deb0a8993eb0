import { createHmac, randomBytes } from 'node:crypto'

/** The four values of an integration. */
export interface Values {
  readonly consumer_key: string
  readonly consumer_secret: string
  readonly access_token: string
  readonly access_token_secret: string
}

export interface How {
  readonly method?: string
  readonly place?: 'header' | 'query'
  readonly algorithm?: string
  readonly timestamp?: number
  readonly nonce?: string
  readonly version?: string
}

const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** A signer of OAuth 1.0a written from RFC 5849 alone: what to send for a URL. */
export function sign(values: Values, url: string, how: How = {}) {
  const { method = 'GET', place = 'header', algorithm = 'HMAC-SHA256', version } = how
  const [base = '', query = ''] = url.split('?')
  const oauth: Record<string, string> = {
    oauth_consumer_key: values.consumer_key,
    oauth_token: values.access_token,
    oauth_signature_method: algorithm,
    oauth_timestamp: String(how.timestamp ?? Math.floor(Date.now() / 1000)),
    oauth_nonce: how.nonce ?? randomBytes(12).toString('hex'),
    ...(version === undefined ? {} : { oauth_version: version }),
  }
  const pairs = [...new URLSearchParams(query), ...Object.entries(oauth)]
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  const text = [method, encode(base), encode(pairs.join('&'))].join('&')
  const key = `${encode(values.consumer_secret)}&${encode(values.access_token_secret)}`
  const kind = algorithm === 'HMAC-SHA1' ? 'sha1' : 'sha256'
  const signature = createHmac(kind, key).update(text).digest('base64')
  const all = { ...oauth, oauth_signature: signature }
  if (place === 'query') {
    const more = Object.entries(all).map(([name, value]) => `${name}=${encode(value)}`)
    return {
      url: `${base}?${[query, ...more].filter((part) => part !== '').join('&')}`,
      headers: {},
    }
  }
  const members = Object.entries(all).map(([name, value]) => `${name}="${encode(value)}"`)
  return { url, headers: { authorization: `OAuth realm="x", ${members.join(', ')}` } }
}
