export type Coding = 'br' | 'gzip'

export interface Negotiated {
  /** The best coding both sides know; undefined: send the bytes as they are. */
  readonly coding: Coding | undefined
  /** The client refuses uncompressed answers, whatever their size. */
  readonly isRequired: boolean
}

const PLAIN: Negotiated = { coding: undefined, isRequired: false }
const MAX_REMEMBERED = 100

/** RFC 9110 §12.5.3. Clients send few different values, so the answers are remembered. */
export function createNegotiation() {
  const remembered = new Map<string, Negotiated>()
  return (header: string | undefined): Negotiated => {
    if (header === undefined) return PLAIN
    const known = remembered.get(header)
    if (known) return known
    const answer = negotiate(header)
    if (remembered.size < MAX_REMEMBERED) remembered.set(header, answer)
    return answer
  }
}

export function negotiate(header: string): Negotiated {
  const weights = new Map(header.split(',').map(toWeight))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const br = weightOf('br')
  const gzip = Math.max(weightOf('gzip'), weights.get('x-gzip') ?? 0)
  const identity = weights.get('identity') ?? (weights.get('*') === 0 ? 0 : undefined)
  const best = Math.max(br, gzip)
  // Nothing fits: uncompressed is a better answer than none.
  if (best === 0) return PLAIN
  if (identity !== undefined && identity > best) return PLAIN
  return { coding: br >= gzip ? 'br' : 'gzip', isRequired: identity === 0 }
}

/** For bytes that exist only as gzip: may they go out as they are? */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  const weights = new Map(header.split(',').map(toWeight))
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}

function toWeight(part: string): [string, number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return [name, weight >= 0 && weight <= 1 ? weight : 0]
}
