export interface PresentedKey {
  readonly value: string
  readonly place: 'header' | 'bearer' | 'query'
}

interface Headers {
  readonly [name: string]: string | string[] | undefined
}

/**
 * Doc 2 §5: the first place that has one decides; an empty value counts as absent. Access tokens are
 * taken from the bearer header of RFC 6750 only.
 */
export function findPresentedKey(
  headers: Headers,
  inQuery: () => string | undefined,
): PresentedKey | undefined {
  const header = headers['x-api-key']
  if (typeof header === 'string' && header !== '') return { value: header, place: 'header' }
  const bearer = bearerOf(headers['authorization'])
  if (bearer) return { value: bearer, place: 'bearer' }
  const value = inQuery()
  return value === undefined ? undefined : { value, place: 'query' }
}

export function bearerOf(authorization: string | string[] | undefined): string | undefined {
  if (typeof authorization !== 'string') return undefined
  const [, token] = /^bearer +(\S.*)$/i.exec(authorization) ?? []
  return token
}
