import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Log } from '../log.ts'
import { isNotice, type Notice, toNotice } from './notice.ts'
import type { BusMessage, MainBus } from './port.ts'

interface Deps {
  /** What `connect` of the main thread's bus has given to this thread; the main thread itself has none. */
  readonly port?: MessagePort | undefined
  readonly log: Log
}

/** The threads of one process among themselves, and what the bridge to other nodes needs of them. */
export interface LocalBus extends MainBus {
  /** Hears every notice published in this process, by whichever thread. */
  onPublished(handler: (notice: Notice) => void): void
  /** Hands a notice of another node to all threads; `onPublished` does not hear it. */
  deliver(notice: Notice): void
}

interface Subscription {
  handler(message: BusMessage): void
}

/**
 * Every thread of a process has one; nothing is lost between threads that are alive. That of the main thread
 * hands on what the others tell. Ports and not a `BroadcastChannel`: for its first message Node would load its
 * `fetch`, 0.1 s of the processor for each thread of a start.
 */
export function createLocalBus({ port: toMain, log }: Deps): LocalBus {
  const subscriptions = new Map<string, Set<Subscription>>()
  const published: ((notice: Notice) => void)[] = []
  const ports = new Set<MessagePort>()
  let closed = false
  if (toMain) listen(toMain)

  return { publish, subscribe, onPublished, deliver, connect, close }

  function connect(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    if (closed) port1.close()
    else listen(port1)
    return port2
  }

  function listen(port: MessagePort) {
    ports.add(port)
    port.on('message', (data: unknown) => {
      if (!isNotice(data)) return
      send(data, port)
      for (const handler of published) handler(data)
      receive(data)
    })
    // The thread at the other end is gone.
    port.on('close', () => ports.delete(port))
    // A thread that has nothing else to do may end.
    port.unref()
  }

  /** Everybody's wire leads to the main thread, so what came over one has to leave by the others. */
  function send(notice: Notice, from?: MessagePort) {
    for (const port of ports) if (port !== from) port.postMessage(notice)
  }

  async function publish(topic: string, message: BusMessage) {
    const notice = toNotice(topic, message)
    if (closed) return
    send(notice)
    for (const handler of published) handler(notice)
    // Subscribers run after the publisher: one that publishes in turn must not overtake.
    await null
    receive(notice)
  }

  function deliver(notice: Notice) {
    if (closed) return
    send(notice)
    receive(notice)
  }

  function subscribe(topic: string, handler: (message: BusMessage) => void) {
    const own = subscriptions.get(topic) ?? new Set()
    const subscription: Subscription = { handler }
    subscriptions.set(topic, own.add(subscription))
    return () => {
      own.delete(subscription)
      if (own.size === 0 && subscriptions.get(topic) === own) subscriptions.delete(topic)
    }
  }

  function onPublished(handler: (notice: Notice) => void) {
    published.push(handler)
  }

  function receive({ topic, text }: Notice) {
    const own = subscriptions.get(topic)
    if (closed || !own) return
    const message: BusMessage = JSON.parse(text)
    for (const subscription of [...own]) {
      if (own.has(subscription)) call(topic, subscription, message)
    }
  }

  function call(topic: string, { handler }: Subscription, message: BusMessage) {
    const failed = (error: unknown) =>
      log.error({ err: error, topic }, 'a subscriber of the bus failed')
    try {
      const result: unknown = handler(message)
      if (result instanceof Promise) result.catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  async function close() {
    closed = true
    subscriptions.clear()
    for (const port of ports) port.close()
    ports.clear()
  }
}
