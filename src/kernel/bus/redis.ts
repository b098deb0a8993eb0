import type { Redis } from 'ioredis'
import {
  ANSWER_TIMEOUT_MS,
  backoffMs,
  HEARTBEAT_MS,
  type Remote,
  type RemoteListener,
} from './remote.ts'

interface Deps {
  readonly url: string
  /** Keeps installations that share a Redis apart; its database numbers do not part pub/sub. */
  readonly prefix: string
}

/** The other nodes over Redis pub/sub: two connections, because a listening one cannot publish. */
export async function createRedisRemote({ url, prefix }: Deps): Promise<Remote> {
  const { default: ioredis } = await import('ioredis')
  const channel = `${prefix}bus`
  const publisher = connection()
  const subscriber = connection()
  const usable = new Set<Redis>()
  let heartbeat: NodeJS.Timeout | undefined
  return { open, send, close }

  function connection(): Redis {
    return new ioredis.Redis(url, {
      lazyConnect: true,
      retryStrategy: backoffMs,
      connectTimeout: ANSWER_TIMEOUT_MS,
      // Counts only while an answer is outstanding; ends the connection, which then starts anew.
      socketTimeout: ANSWER_TIMEOUT_MS,
      // A notice that comes late is worth nothing: revisions have repaired its loss by then.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      autoResubscribe: false,
    })
  }

  function open(listener: RemoteListener) {
    for (const client of [publisher, subscriber]) {
      // Without a listener for errors ioredis prints them.
      client.on('error', listener.down)
      client.on('close', () => {
        usable.delete(client)
        listener.down(new Error('the connection to Redis ended'))
      })
    }
    publisher.on('ready', () => ready(publisher))
    subscriber.on('ready', () => {
      subscriber.subscribe(channel).then(
        () => ready(subscriber),
        () => subscriber.disconnect(true),
      )
    })
    subscriber.on('message', (_channel, text) => listener.receive(text))
    for (const client of [publisher, subscriber]) client.connect().catch(() => {})
    heartbeat = setInterval(beat, HEARTBEAT_MS).unref()

    function ready(client: Redis) {
      usable.add(client)
      if (usable.size === 2) listener.up()
    }
  }

  function beat() {
    for (const client of [publisher, subscriber]) {
      if (client.status === 'ready') client.ping().catch(() => {})
    }
  }

  async function send(text: string) {
    await publisher.publish(channel, text)
  }

  async function close() {
    clearInterval(heartbeat)
    publisher.disconnect()
    subscriber.disconnect()
  }
}
