import type { Log } from '../log.ts'
import type { LocalBus } from './local.ts'
import { type Notice, parseEnvelope, renderEnvelope } from './notice.ts'
import { type MainBus, PROCESS_TOPIC } from './port.ts'
import { type Remote, toError } from './remote.ts'

interface Deps {
  readonly local: LocalBus
  /** Absent: one process has it all. */
  readonly remote?: Remote | undefined
  /** Differs for every process that ever runs. */
  readonly nodeId: string
  readonly log: Log
}

/** More notices on their way than this, and the store is too slow to be worth waiting for. */
const MAX_IN_FLIGHT = 1_000
const CLOSE_TIMEOUT_MS = 1_000

/**
 * The bus of the main thread. It relays between the threads of this process and the other nodes,
 * each notice once and never back to where it came from, so that a thread with a local bus need not
 * know whether there are other nodes. While they cannot be reached notices to them are dropped.
 * Resolves after the first attempt to connect, whatever came of it.
 */
export async function createBus({ local, remote, nodeId, log }: Deps): Promise<MainBus> {
  if (!remote) return local
  const inFlight = new Set<Promise<void>>()
  const firstAttempt = Promise.withResolvers<void>()
  const way = remote
  let lastNumber = 0
  let connected = false
  let away = false
  let closed = false
  local.onPublished(relay)
  way.open({ receive, up, down })
  await firstAttempt.promise

  const { publish, subscribe, connect } = local
  return { publish, subscribe, connect, close }

  function relay(notice: Notice) {
    if (notice.topic.startsWith(PROCESS_TOPIC)) return
    if (inFlight.size >= MAX_IN_FLIGHT) return lost(new Error('too many notices wait'))
    const sent = way.send(renderEnvelope(nodeId, ++lastNumber, notice)).then(arrived, lost)
    inFlight.add(sent)
    void sent.finally(() => inFlight.delete(sent))
  }

  function receive(text: string) {
    const envelope = parseEnvelope(text)
    if (!envelope) {
      log.warn({ bytes: text.length }, 'something else writes to the channel of the bus')
      return
    }
    const { node, topic, message } = envelope
    if (node !== nodeId) local.deliver({ topic, text: JSON.stringify(message) })
  }

  function up() {
    connected = true
    arrived()
    firstAttempt.resolve()
  }

  function down(error: Error) {
    connected = false
    lost(error)
    firstAttempt.resolve()
  }

  function lost(error: unknown) {
    if (away || closed) return
    away = true
    log.warn(
      { err: toError(error) },
      'other nodes cannot be notified; they find changes by comparing revisions',
    )
  }

  function arrived() {
    if (!away || !connected) return
    away = false
    log.info({}, 'other nodes can be notified again')
  }

  /** What is on its way still goes out, unless the store does not answer. */
  async function close() {
    closed = true
    const { promise: timeout, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)
    await Promise.race([Promise.allSettled(inFlight).then(way.close), timeout])
    clearTimeout(timer)
    await local.close()
  }
}
