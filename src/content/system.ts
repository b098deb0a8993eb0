import type { Actor } from '#kernel'

/** Who writes when nobody asked for it. */
export const SYSTEM: Actor = {
  userId: 0,
  consumerId: '',
  apiKeyId: null,
  planId: null,
  access: 'admin',
  kind: 'system',
}

/** Who is noted as the writer; null: nobody that has an account. */
export function userOf({ kind, userId }: Actor): number | null {
  return kind === 'system' || kind === 'anonymous' ? null : userId
}
