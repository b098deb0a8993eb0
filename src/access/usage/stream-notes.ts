import type { StreamNotes } from '../key-events.ts'
import { createStreamEvents } from './stream-events.ts'

/** Writes what streams must not miss, also from a thread that serves none. */
export function createStreamNotes(deps: Parameters<typeof createStreamEvents>[0]): StreamNotes {
  const events = createStreamEvents(deps)
  return {
    async noteKeyChange(tx, { keyId, userId, status }) {
      const data = { key_id: keyId, status }
      await events.append(tx, { event: 'key', keyId, userId, data })
    },
    async noteUserStopped(tx, userId) {
      await events.append(tx, { event: 'stop', keyId: null, userId, data: {} })
    },
    async noteSecretStopped(tx, { keyId, userId }) {
      await events.append(tx, { event: 'stop', keyId, userId, data: {} })
    },
  }
}
