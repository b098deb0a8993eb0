import { Agent, type IncomingMessage, request } from 'node:http'

const MODES = ['whole', 'length', 'chunked'] as const

export interface Sent {
  readonly id: string
  readonly key: string
  readonly cost: number
  readonly isWrite: boolean
}

/**
 * Sends requests with ids of their own over keep-alive connections, one at a time on each. A
 * request ends up in exactly one of: answered, unanswered (it was under way when the server died).
 */
export function createClient({ port, keys }: { port: number; keys: readonly string[] }) {
  const answered = new Map<string, Sent & { status: number }>()
  const unanswered = new Map<string, Sent>()
  let lastId = 0
  let isStopped = true
  let running: Promise<unknown> = Promise.resolve()

  return { answered, unanswered, start, stop }

  function start(connections: number) {
    isStopped = false
    running = Promise.all(Array.from({ length: connections }, (_, index) => run(index)))
  }

  /** Lets requests under way end, with their answer or with the server's death. */
  async function stop() {
    isStopped = true
    await running
  }

  async function run(connection: number) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isStopped) {
      const sent = next(connection)
      const status = await ask(agent, sent).catch(() => undefined)
      if (status === undefined) {
        unanswered.set(sent.id, sent)
        break
      }
      answered.set(sent.id, { ...sent, status })
    }
    agent.destroy()
  }

  function next(connection: number): Sent {
    const number = ++lastId
    return {
      id: `r${number}`,
      key: keys[(number + connection) % keys.length] ?? '',
      cost: 1 + (number % 3),
      isWrite: number % 10 === 0,
    }
  }

  function ask(agent: Agent, { id, key, cost, isWrite }: Sent): Promise<number> {
    const mode = MODES[lastId % MODES.length]
    const path = `/?id=${id}&key=${key}&cost=${cost}&mode=${mode}&write=${isWrite ? 1 : 0}`
    return new Promise((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', agent, path })
      outgoing.on('error', reject)
      outgoing.on('response', (answer: IncomingMessage) => {
        answer.on('error', reject)
        answer.on('close', () => {
          if (answer.complete) resolve(answer.statusCode ?? 0)
          else reject(new Error('cut off'))
        })
        answer.resume()
      })
      outgoing.end()
    })
  }
}

export type Client = ReturnType<typeof createClient>
