import { Socket } from 'node:net'
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib'
import type { Log } from '#kernel'
import { OPERATION_EVENT } from './events.ts'

/** An event as it is sent. */
export interface BrokerMessage {
  readonly id: string
  readonly type: string
  readonly body: string
  readonly occurredAtMs: number
}

interface Deps {
  readonly url: string
  readonly log: Log
}

const EXCHANGE = 'entrepot.events'
const CONNECT_MS = 10_000
/** A broker that says nothing for so long is asked again over a new connection, unless it has told us to wait. */
const CONFIRM_MS = 30_000

interface Connection {
  readonly model: ChannelModel
  readonly channel: ConfirmChannel
  /** The broker is short of memory or disk and reads nothing more until it says so. */
  isBlocked(): boolean
}

/** A connection to a broker of AMQP 0-9-1 that is opened again when it was lost (commerce contract §6). */
export function createBroker({ url, log }: Deps) {
  let current: Connection | undefined
  return { connect: connected, send, close }

  /** Opens the connection unless it is open, and declares what clients expect to find. */
  async function connected(signal: AbortSignal): Promise<Connection> {
    if (current) return current
    const opening = open()
    try {
      current = await unlessAborted(signal, opening)
    } catch (error) {
      // One that opens after all is not wanted any more.
      opening.then(({ model }) => ended(model)).catch(() => {})
      throw error
    }
    return current
  }

  /** In order; resolves when the broker has all of them on its disk. A failure says nothing of any of them. */
  async function send(messages: readonly BrokerMessage[], signal: AbortSignal): Promise<void> {
    const connection = await connected(signal)
    try {
      const confirmed = Promise.all(messages.map((message) => publish(connection.channel, message)))
      await unlessAborted(signal, unlessSilent(connection, confirmed))
    } catch (error) {
      await close()
      throw error
    }
  }

  /** What clients expect to find is declared with every connection: the broker may be a new one. */
  async function open(): Promise<Connection> {
    const model = await connect(url, { timeout: CONNECT_MS })
    const forget = () => {
      if (current?.model === model) current = undefined
    }
    let blocked = false
    model.on('close', forget)
    model.on('blocked', (reason) => {
      blocked = true
      log.warn({ reason }, 'the broker takes no messages for now')
    })
    model.on('unblocked', () => {
      blocked = false
      log.info({}, 'the broker takes messages again')
    })
    // Whoever waits for an answer hears of it; without a listener it would end the thread.
    model.on('error', (error) => log.warn({ err: error }, 'the connection to the broker failed'))
    try {
      const channel = await model.createConfirmChannel()
      channel.on('error', (error) => log.warn({ err: error }, 'the broker refused something'))
      channel.on('close', forget)
      await channel.assertExchange(EXCHANGE, 'topic', { durable: true })
      await channel.assertQueue(OPERATION_EVENT, { durable: true })
      await channel.bindQueue(OPERATION_EVENT, EXCHANGE, OPERATION_EVENT)
      return { model, channel, isBlocked: () => blocked }
    } catch (error) {
      await ended(model)
      throw error
    }
  }

  async function close() {
    const model = current?.model
    current = undefined
    if (model) await ended(model)
  }
}

function publish(
  channel: ConfirmChannel,
  { id, type, body, occurredAtMs }: BrokerMessage,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const properties = {
      ...{ persistent: true, contentType: 'application/json', contentEncoding: 'utf-8' },
      ...{ messageId: id, type, timestamp: Math.floor(occurredAtMs / 1000) },
    }
    channel.publish(EXCHANGE, type, Buffer.from(body), properties, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

const CLOSE_MS = 2_000

/** A broker that is gone, or blocked, does not answer a good-bye; its socket would stay. */
async function ended(model: ChannelModel) {
  const timer = Promise.withResolvers<void>()
  const late = setTimeout(timer.resolve, CLOSE_MS)
  await Promise.race([model.close().catch(() => {}), timer.promise])
  clearTimeout(late)
  const socket: unknown = Reflect.get(model.connection, 'stream')
  if (socket instanceof Socket) socket.destroy()
}

/** The time a broker is blocked does not count: another connection would be blocked as well. */
async function unlessSilent<T>({ model, isBlocked }: Connection, work: Promise<T>): Promise<T> {
  const silent = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    if (isBlocked()) timer.refresh()
    else silent.reject(new Error(`The broker confirmed nothing within ${CONFIRM_MS} ms`))
  }, CONFIRM_MS)
  const again = () => timer.refresh()
  model.on('unblocked', again)
  try {
    return await Promise.race([work, silent.promise])
  } finally {
    clearTimeout(timer)
    model.off('unblocked', again)
  }
}

async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
