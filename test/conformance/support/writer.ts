import type { Actor } from '#kernel'

export const WRITER: Actor = {
  userId: 1,
  consumerId: 'c-1',
  apiKeyId: 1,
  planId: null,
  access: 'write',
  kind: 'key',
}
