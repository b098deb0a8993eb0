import { randomUUID } from 'node:crypto'
import { silentLog, testPostgres, testRedis } from '#test-kit'
import { openBus, type RemotePlace, startNode, startThread } from './bus-cluster.ts'
import { type BusCluster, memberOf, testBus } from './bus-suite.ts'

testBus('the bus between the threads of a process', async () => {
  const here = await openBus({ nodeId: '' }, silentLog)
  const threads = await Promise.all([1, 2, 3].map(() => startThread(here)))
  return cluster([memberOf(here), ...threads], [here, ...threads])
})

testBus('the bus between nodes over Redis', () => nodes({ kind: 'redis', ...testRedis() }))

testBus('the bus between nodes over PostgreSQL', async () =>
  nodes({ kind: 'postgres', ...(await testPostgres()) }),
)

/** Two more processes, and in this one a thread that only knows the other threads. */
async function nodes(remote: RemotePlace): Promise<BusCluster> {
  const here = await openBus({ nodeId: randomUUID(), remote }, silentLog)
  const thread = await startThread(here)
  const others = await Promise.all([1, 2].map(() => startNode(remote)))
  return cluster([memberOf(here), thread, ...others], [thread, ...others, here])
}

function cluster(members: BusCluster['members'], parts: { close(): Promise<void> }[]): BusCluster {
  return { members, close: async () => void (await Promise.all(parts.map((part) => part.close()))) }
}
