// A thread without a database that tells the test which settings it sees.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createLocalBus } from '../../src/kernel/bus/local.ts'
import { createSettingsFollower } from '../../src/kernel/settings/follower.ts'
import { silentLog } from '../kit/each-database.ts'
import type { TestValues } from './settings.test.ts'

const { port, snapshot }: { port: MessagePort; snapshot: TestValues } = workerData
const bus = createLocalBus({ port, log: silentLog })
const settings = createSettingsFollower({ bus, snapshot, log: silentLog })
settings.onChange('limits', tell)
parentPort?.on('message', () => process.exit())
tell()

function tell() {
  parentPort?.postMessage(settings.get('limits'))
}
