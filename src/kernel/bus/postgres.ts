import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import {
  ANSWER_TIMEOUT_MS,
  backoffMs,
  HEARTBEAT_MS,
  type Remote,
  type RemoteListener,
  toError,
} from './remote.ts'

interface Deps {
  readonly url: string
  /** Shown as the connection's name, so that an operator can tell the nodes apart. */
  readonly nodeId: string
}

interface Waiting {
  readonly text: string
  resolve(): void
  reject(error: Error): void
}

interface Connection {
  readonly client: Client
  readonly channel: string
  fail(error: unknown): void
}

const BATCH = 100
const NOTIFY = 'select pg_notify($1, text) from unnest($2::text[]) with ordinality as t (text, n)'

/** The other nodes over LISTEN/NOTIFY on a connection of its own; needs no pooler in between. */
export async function createPostgresRemote({ url, nodeId }: Deps): Promise<Remote> {
  const { default: pg } = await import('pg')
  const waiting: Waiting[] = []
  let listener: RemoteListener | undefined
  let connected: Connection | undefined
  let latest: Client | undefined
  let attempt = 0
  let closed = false
  let flushing = false
  let retry: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  return { open, send, close }

  function open(by: RemoteListener) {
    listener = by
    heartbeat = setInterval(() => void flush(true), HEARTBEAT_MS).unref()
    void connect()
  }

  async function connect() {
    const client = new pg.Client({
      connectionString: url,
      application_name: `entrepot bus ${nodeId}`,
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    })
    latest = client
    let failed = false
    const fail = (error: unknown) => {
      if (failed) return
      failed = true
      client.end().catch(() => {})
      lost(client, toError(error))
    }
    client.on('error', fail)
    client.on('end', () => fail(new Error('the connection ended')))
    client.on('notification', ({ payload }) => listener?.receive(payload ?? ''))
    try {
      await client.connect()
      const channel = await listen(client)
      if (failed || closed) return
      connected = { client, channel, fail }
      attempt = 0
      listener?.up()
    } catch (error) {
      fail(error)
    }
  }

  function lost(client: Client, error: Error) {
    if (connected?.client === client) connected = undefined
    if (closed) return
    for (const each of waiting.splice(0)) each.reject(error)
    listener?.down(error)
    retry = setTimeout(connect, backoffMs(attempt++)).unref()
  }

  async function send(text: string) {
    if (!connected) throw new Error('PostgreSQL is not connected')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ text, resolve, reject })
    void flush(false)
    await promise
  }

  /** One statement at a time carries all that wait; an empty one shows that the server answers. */
  async function flush(even: boolean) {
    if (flushing) return
    flushing = true
    for (let again = even; connected && (again || waiting.length > 0); again = false) {
      const batch = waiting.splice(0, BATCH)
      const { client, channel, fail } = connected
      try {
        await client.query(NOTIFY, [channel, batch.map((each) => each.text)])
        for (const each of batch) each.resolve()
      } catch (error) {
        for (const each of batch) each.reject(toError(error))
        fail(error)
      }
    }
    flushing = false
  }

  async function close() {
    closed = true
    clearTimeout(retry)
    clearInterval(heartbeat)
    connected = undefined
    await latest?.end()
  }
}

/** One channel per schema: several installations may share a database. */
async function listen(client: Client): Promise<string> {
  // A notice may get lost with the server anyway; waiting for the disk would only slow it down.
  await client.query('set synchronous_commit = off')
  const { rows } = await client.query<{ schema: string | null }>(
    'select current_schema() as schema',
  )
  const schema = rows[0]?.schema ?? ''
  // Names are cut at 63 bytes, which could make two long schema names equal.
  const channel = `entrepot_${createHash('sha256').update(schema).digest('hex').slice(0, 32)}`
  await client.query(`listen ${channel}`)
  return channel
}
