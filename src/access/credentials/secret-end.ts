import type { FastifyRequest } from 'fastify'
import { queryCredential } from '#http-text'
import type { KnownKeys } from '../known-keys.ts'
import { isRawKey } from '../secrets.ts'
import { findPresentedKey } from './presented.ts'

/** How long the secret works that a request was let in by; null when it was not rotated out. */
export function createSecretEnd({ findByRawKey }: Pick<KnownKeys, 'findByRawKey'>) {
  return async (request: FastifyRequest): Promise<number | null> => {
    const presented = findPresentedKey(request.headers, () => queryCredential(request, 'api_key'))
    if (!presented || !isRawKey(presented.value)) return null
    return (await findByRawKey(presented.value))?.validUntilMs ?? null
  }
}
