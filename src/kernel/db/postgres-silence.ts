import type { Socket } from 'node:net'
import type { Client } from 'pg'

/** What connections are called in the server's list of them; it tells the client when that changes. */
export const NAME = 'entrepot'
/** While the server sets no limit: an index of a large table, the wait for the migrations of another node. */
export const BUILDER = 'entrepot, building'

/** Beyond the server's own limit: for an answer on its way, and for a machine that is busy. */
const GRACE_MS = 5_000

/**
 * A server that is silent for longer than its own limit answers no more: its machine has stopped, or the network has
 * forgotten the connection. Whoever waits for it would otherwise wait a quarter of an hour, or for ever.
 */
export function endSilent(client: Client, limitMs: number): void {
  const { connection } = client
  const stream = connection.stream as Socket
  let isBuilder = false
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (parameterName === 'application_name') isBuilder = parameterValue === BUILDER
  })
  // Listened to by itself: the callback of `setTimeout` hears only the first silence, which may be that of a quiet hour.
  stream.setTimeout(limitMs + GRACE_MS)
  stream.on('timeout', () => {
    if (isWaiting(client) && !isBuilder) stream.destroy(new SilentServer())
  })
}

/** The types do not know the member. */
function isWaiting(client: Client & { readonly readyForQuery?: boolean }): boolean {
  return client.readyForQuery === false
}

class SilentServer extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('the database has not answered for too long')
  }
}
