import type { TestServer } from '#test-kit'
import { until } from '#test-kit'

/** So that a server can be asked for its threads from outside. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** A thread of a server that a test may stop or end, as no request could. */
export interface InspectedThread {
  /** Stands still at the next statement that it comes to; resolves when it does. */
  pause(): Promise<{ readonly paused: Promise<void> }>
  /** Ends at once, also while it stands still. */
  exit(): void
}

/** Speaks the protocol of Node's inspector; `find` waits for a thread of that name. */
export async function inspect(server: Pick<TestServer, 'output'>) {
  const [, url = ''] = /Debugger listening on (ws:\S+)/.exec(server.output()) ?? []
  const socket = new WebSocket(url)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const sessions = new Map<string, string>()
  const waiting = new Map<string, () => void>()
  let asked = 0
  socket.addEventListener('message', ({ data }) => receive(JSON.parse(String(data))))
  post({ method: 'NodeWorker.enable', params: { waitForDebuggerOnStart: false } })
  return { find, close: () => socket.close() }

  function receive({ method, params = {} }: Message) {
    const { sessionId, workerInfo, message } = params
    const session = String(sessionId)
    if (method === 'NodeWorker.attachedToWorker') sessions.set(session, JSON.stringify(workerInfo))
    if (method === 'NodeWorker.receivedMessageFromWorker')
      hear(session, JSON.parse(String(message)))
  }

  function hear(session: string, { id, method }: Message) {
    const key = `${session} ${method ?? id}`
    waiting.get(key)?.()
    waiting.delete(key)
  }

  function post(message: Message) {
    socket.send(JSON.stringify({ id: ++asked, ...message }))
  }

  function ask(session: string, method: string, params = {}): Promise<void> {
    const id = ++asked
    const answered = next(session, String(id))
    const message = JSON.stringify({ id, method, params })
    post({ method: 'NodeWorker.sendMessageToWorker', params: { sessionId: session, message } })
    return answered
  }

  function next(session: string, what: string): Promise<void> {
    return new Promise((resolve) => waiting.set(`${session} ${what}`, resolve))
  }

  async function find(name: string): Promise<InspectedThread> {
    const session = await until(() => [...sessions].find(([, info]) => info.includes(name))?.[0])
    return {
      async pause() {
        const paused = next(session, 'Debugger.paused')
        await ask(session, 'Debugger.enable')
        await ask(session, 'Debugger.pause')
        return { paused }
      },
      exit() {
        void ask(session, 'Runtime.evaluate', { expression: 'process.exit(1)' })
        void ask(session, 'Debugger.resume')
      },
    }
  }
}
