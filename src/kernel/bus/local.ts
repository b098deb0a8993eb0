import type { Log } from '../log.ts'
import { isNotice, type Notice, toNotice } from './notice.ts'
import type { Bus, BusMessage } from './port.ts'

interface Deps {
  /** The same in all threads of a process, and another one in every process. */
  readonly channel: string
  readonly log: Log
}

/** The threads of one process among themselves, and what the bridge to other nodes needs of them. */
export interface LocalBus extends Bus {
  /** Hears every notice published in this process, by whichever thread. */
  onPublished(handler: (notice: Notice) => void): void
  /** Hands a notice of another node to all threads; `onPublished` does not hear it. */
  deliver(notice: Notice): void
}

interface Subscription {
  handler(message: BusMessage): void
}

/** Every thread of a process has one; nothing is lost between threads that are alive. */
export function createLocalBus({ channel: name, log }: Deps): LocalBus {
  const subscriptions = new Map<string, Set<Subscription>>()
  const published: ((notice: Notice) => void)[] = []
  const channel = new BroadcastChannel(name)
  let closed = false
  channel.addEventListener('message', ({ data }) => {
    if (!isNotice(data)) return
    for (const handler of published) handler(data)
    receive(data)
  })
  // A thread that has nothing else to do may end.
  channel.unref()

  return { publish, subscribe, onPublished, deliver, close }

  async function publish(topic: string, message: BusMessage) {
    const notice = toNotice(topic, message)
    if (closed) return
    channel.postMessage(notice)
    for (const handler of published) handler(notice)
    // Subscribers run after the publisher: one that publishes in turn must not overtake.
    await null
    receive(notice)
  }

  function deliver(notice: Notice) {
    if (closed) return
    channel.postMessage(notice)
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
    channel.close()
  }
}
