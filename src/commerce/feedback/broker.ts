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
/** A broker that says nothing for so long is asked again over a new connection. */
const CONFIRM_MS = 30_000

interface Connection {
  readonly model: ChannelModel
  readonly channel: ConfirmChannel
}

/** A connection to a broker of AMQP 0-9-1 that is opened again when it was lost (commerce contract §6). */
export function createBroker({ url, log }: Deps) {
  let current: Connection | undefined
  return { connect: connected, send, close }

  /** Opens the connection unless it is open, and declares what clients expect to find. */
  async function connected(): Promise<Connection> {
    current ??= await open()
    return current
  }

  /** In order; resolves when the broker has all of them on its disk. A failure says nothing of any of them. */
  async function send(messages: readonly BrokerMessage[]): Promise<void> {
    const { channel } = await connected()
    try {
      const confirmed = messages.map((message) => publish(channel, message))
      await atMost(CONFIRM_MS, Promise.all(confirmed), 'The broker confirmed nothing')
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
    model.on('close', forget)
    // Whoever waits for an answer hears of it; without a listener it would end the thread.
    model.on('error', (error) => log.warn({ err: error }, 'the connection to the broker failed'))
    try {
      const channel = await model.createConfirmChannel()
      channel.on('error', (error) => log.warn({ err: error }, 'the broker refused something'))
      channel.on('close', forget)
      await channel.assertExchange(EXCHANGE, 'topic', { durable: true })
      await channel.assertQueue(OPERATION_EVENT, { durable: true })
      await channel.bindQueue(OPERATION_EVENT, EXCHANGE, OPERATION_EVENT)
      return { model, channel }
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

/** A broker that is gone does not answer a good-bye. */
async function ended(model: ChannelModel) {
  await atMost(CLOSE_MS, model.close(), 'The broker did not say good-bye').catch(() => {})
}

async function atMost<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message} within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
