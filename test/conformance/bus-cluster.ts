import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type MessagePort, Worker } from 'node:worker_threads'
import type { Log } from '#kernel'
import { createBus } from '../../src/kernel/bus/bridge.ts'
import { createLocalBus } from '../../src/kernel/bus/local.ts'
import type { BusMessage, MainBus } from '../../src/kernel/bus/port.ts'
import { createPostgresRemote } from '../../src/kernel/bus/postgres.ts'
import { createRedisRemote } from '../../src/kernel/bus/redis.ts'
import type { BusMember } from './bus-suite.ts'

export type RemotePlace =
  | { readonly kind: 'redis'; readonly url: string; readonly prefix: string }
  | { readonly kind: 'postgres'; readonly url: string }

export interface MemberPlace {
  /** Of a thread: the way to the bus of its main thread. */
  readonly port?: MessagePort
  readonly nodeId: string
  /** Absent: a thread that relies on its process's main thread. */
  readonly remote?: RemotePlace
}

/** The bus of a main thread, or of a thread without a remote. */
export async function openBus({ port, nodeId, remote }: MemberPlace, log: Log): Promise<MainBus> {
  const local = createLocalBus({ port, log })
  if (!remote) return local
  const way =
    remote.kind === 'redis'
      ? await createRedisRemote(remote)
      : await createPostgresRemote({ ...remote, nodeId })
  return createBus({ local, remote: way, nodeId, log })
}

export interface Asked {
  readonly id: number
  readonly call:
    | { readonly name: 'publish'; readonly topic: string; readonly message: BusMessage }
    | { readonly name: 'received'; readonly topic: string; readonly count: number }
    | { readonly name: 'subscribe' | 'unsubscribe'; readonly topic: string }
}

interface Answer {
  readonly id: number
  readonly result?: readonly BusMessage[]
  readonly error?: string
}

export interface FarMember extends BusMember {
  close(): Promise<void>
}

const SCRIPT = new URL('./bus-member.ts', import.meta.url)

export async function startThread(main: MainBus): Promise<FarMember> {
  const port = main.connect()
  const place: MemberPlace = { port, nodeId: '' }
  const worker = new Worker(SCRIPT, { workerData: place, transferList: [port] })
  return steer(worker, (asked) => worker.postMessage(asked), {
    close: async () => void (await worker.terminate()),
  })
}

/** A whole node: its own bus, its own connection to the others. */
export async function startNode(remote: RemotePlace): Promise<FarMember> {
  const place: MemberPlace = { nodeId: randomUUID(), remote }
  const child = fork(fileURLToPath(SCRIPT), [JSON.stringify(place)])
  return steer(child, (asked) => child.send(asked), {
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  })
}

async function steer(
  far: Worker | ChildProcess,
  ask: (asked: Asked) => void,
  ends: Pick<FarMember, 'close'>,
): Promise<FarMember> {
  const open = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  far.on('message', (answer: Answer) => open.get(answer.id)?.(answer))
  await answered(0)
  return {
    ...ends,
    publish: async (topic, message) => void (await call({ name: 'publish', topic, message })),
    subscribe: async (topic) => void (await call({ name: 'subscribe', topic })),
    unsubscribe: async (topic) => void (await call({ name: 'unsubscribe', topic })),
    received: async (topic, count) => (await call({ name: 'received', topic, count })) ?? [],
  }

  async function call(what: Asked['call']) {
    const id = ++lastId
    const answer = answered(id)
    ask({ id, call: what })
    return answer
  }

  function answered(id: number): Promise<readonly BusMessage[] | undefined> {
    return new Promise((resolve, reject) => {
      open.set(id, ({ result, error }) => {
        open.delete(id)
        if (error === undefined) resolve(result)
        else reject(new Error(error))
      })
    })
  }
}
