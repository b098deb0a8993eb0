import { MessageChannel, Worker } from 'node:worker_threads'
import type { Carrier, Outcome, WritePlan } from './plan.ts'
import type { Reply, Request, ThreadData } from './sqlite-thread.ts'

/** Plans for a file of SQLite: one message for each, one message back for each group. */
export function openSqliteCarrier(path: string, maxPages?: number): Carrier {
  const { port1: port, port2 } = new MessageChannel()
  const data: ThreadData = { path, port: port2, ...(maxPages === undefined ? {} : { maxPages }) }
  const entry = new URL('./sqlite-thread.ts', import.meta.url)
  const thread = new Worker(entry, { workerData: data, transferList: [port2] })
  const pending = new Map<number, (outcome: Outcome | null) => void>()
  let last = 0
  port.on('message', (reply: Reply) => {
    for (const [id, outcome] of reply) {
      pending.get(id)?.(outcome)
      pending.delete(id)
    }
  })
  return { carry: (plan) => carry(plan), alone, close }

  async function carry(plan: WritePlan, holder?: number): Promise<Outcome> {
    const id = ++last
    const outcome = await send({ id, plan, ...(holder === undefined ? {} : { holder }) })
    if (!outcome) throw new Error('the writer answered a plan with nothing')
    return outcome
  }

  async function alone<T>(work: (carry: Carrier['carry']) => Promise<T>): Promise<T> {
    const id = ++last
    await send({ id, op: 'hold' })
    try {
      return await work((plan) => carry(plan, id))
    } finally {
      port.postMessage({ id, op: 'release' } satisfies Request)
    }
  }

  function send(request: Request): Promise<Outcome | null> {
    const { promise, resolve } = Promise.withResolvers<Outcome | null>()
    pending.set(request.id, resolve)
    port.postMessage(request)
    return promise
  }

  async function close() {
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.postMessage('stop')
    await ended
    port.close()
  }
}
