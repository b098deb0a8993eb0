/**
 * When a certificate ends, read from its PEM text: the second time of the validity, which follows
 * version, serial number, algorithm and issuer (RFC 5280 §4.1). Undefined for what is none.
 */
export function certificateEnd(pem: string): Date | undefined {
  const [, text] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem) ?? []
  if (text === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), (each) => each.charCodeAt(0))
    const inside = childrenOf(bytes, childrenOf(bytes, { from: 0, to: bytes.length })[0])[0]
    const parts = childrenOf(bytes, inside)
    // The version is left out of certificates of the first kind.
    const validity = parts[parts[0]?.tag === 0xa0 ? 4 : 3]
    const end = childrenOf(bytes, validity)[1]
    return end && parseTime(String.fromCharCode(...bytes.subarray(end.from, end.to)))
  } catch {
    return undefined
  }
}

interface Span {
  readonly tag?: number
  readonly from: number
  readonly to: number
}

function childrenOf(bytes: Uint8Array, parent: Span | undefined): Span[] {
  const found: Span[] = []
  for (let at = parent?.from ?? 0; parent && at < parent.to; ) {
    const tag = bytes[at] ?? 0
    const first = bytes[at + 1] ?? 0
    const more = first < 0x80 ? 0 : first & 0x7f
    let length = more === 0 ? first : 0
    for (let n = 0; n < more; n++) length = length * 256 + (bytes[at + 2 + n] ?? 0)
    const from = at + 2 + more
    found.push({ tag, from, to: from + length })
    at = from + length
  }
  return found
}

/** `YYMMDDhhmmssZ`, from 2050 on with four digits of the year. */
function parseTime(text: string): Date | undefined {
  const [, year = '', month, day, hour, minute, second] =
    /^(\d{2}|\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  const full = year.length === 4 ? year : `${Number(year) < 50 ? '20' : '19'}${year}`
  const date = new Date(`${full}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
