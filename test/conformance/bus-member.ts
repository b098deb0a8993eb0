// A member of the bus in a thread or process of its own, steered by the test over its port.
import { parentPort, workerData } from 'node:worker_threads'
import { silentLog } from '../kit/each-database.ts'
import { type Asked, type MemberPlace, openBus } from './bus-cluster.ts'
import { memberOf } from './bus-suite.ts'

const place: MemberPlace = parentPort ? workerData : JSON.parse(process.argv[2] ?? '')
const member = memberOf(await openBus(place, silentLog))
const answer = (message: object) => {
  if (parentPort) parentPort.postMessage(message)
  else process.send?.(message)
}
;(parentPort ?? process).on('message', async ({ id, call }: Asked) => {
  try {
    answer({ id, result: await run(call) })
  } catch (error) {
    answer({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
answer({ id: 0 })

function run(call: Asked['call']) {
  if (call.name === 'publish') return member.publish(call.topic, call.message)
  if (call.name === 'received') return member.received(call.topic, call.count)
  return member[call.name](call.topic)
}
