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
