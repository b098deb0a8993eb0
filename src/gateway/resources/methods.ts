/** The methods that a request can be sent on with. */
export const FORWARDED_METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PURGE',
] as const

/** Those that routes and rules may name (contract §3.2). */
export const METHODS = [...FORWARDED_METHODS, 'CONNECT'] as const
