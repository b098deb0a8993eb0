import type { Socket } from 'node:net'
import type { Client } from 'pg'

/** What connections are called in the server's list of them; it tells the client when that changes. */
export const NAME = 'entrepot'
/** While the server sets no limit: an index of a large table, the wait for the migrations of another node. */
export const BUILDER = 'entrepot, building'
/** The server takes no writes: another one has taken its place. */
const READ_ONLY = '25006'

/** Beyond the server's own limit: for an answer on its way, and for a machine that is busy. */
const GRACE_MS = 5_000

/** Gives up a connection whose server is of no use any more, so that the next one leads to the server that is. */
export function watchServer(client: Client, limitMs: number): void {
  const { connection } = client
  const stream = connection.stream as Socket
  let isBuilder = false
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (parameterName === 'application_name') isBuilder = parameterValue === BUILDER
  })
  // One that is silent for longer than its own limit answers no more: its machine has stopped, or the network has
  // forgotten the connection. Whoever waits would wait a quarter of an hour, or for ever.
  stream.setTimeout(limitMs + GRACE_MS)
  // The callback of `setTimeout` would hear only the first silence, which may be that of a quiet hour.
  stream.on('timeout', () => {
    // A thread that was held up itself finds the answer only after its timers.
    const { bytesRead } = stream
    setImmediate(() => {
      if (stream.bytesRead > bytesRead || isBuilder || !isWaiting(client)) return
      giveUp('the database has not answered for too long')
    })
  })
  connection.on('errorMessage', ({ code }) => {
    // Whoever asked hears the server's own words first.
    if (code === READ_ONLY) setImmediate(giveUp, 'the database takes no writes')
  })

  function giveUp(why: string) {
    stream.destroy(Object.assign(new Error(why), { code: 'ETIMEDOUT' }))
  }
}

/** The types do not know the member. */
function isWaiting(client: Client & { readonly readyForQuery?: boolean }): boolean {
  return client.readyForQuery === false
}
