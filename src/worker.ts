// The worker thread: deliveries, crawls, bulk work, cron and clean-up, away from requests.
import { parentPort, workerData } from 'node:worker_threads'
import { READY, STOP } from '#kernel'
import { attachPlatform, type PlatformAddress } from './platform.ts'

const parent = parentPort
if (!parent) throw new Error('the worker thread needs a parent')

const address: PlatformAddress = workerData
const platform = await attachPlatform(address, 'worker')

parent.on('message', (message: unknown) => {
  if (message === STOP) void stop()
})
parent.postMessage(READY)

async function stop() {
  await platform.stop()
  process.exit(0)
}
