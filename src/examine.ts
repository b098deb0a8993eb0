/** What `entrepot doctor` looks at, in its order; nothing is changed and no server need run. */
import { join } from 'node:path'
import type { Config } from '#config'
import { describeServer } from '#db'
import {
  checkBackups,
  checkCertificate,
  checkChromium,
  checkClock,
  checkDataDirectory,
  checkKeyPair,
  checkRedis,
  type Finding,
  fault,
  ok,
  reasonOf,
  warning,
} from '#doctor'
import { findStoredCertificates } from '#gateway'
import { nodeHttp, nodeHttps } from '#http-text'
import { createClock } from '#kernel'
import { isMasterKeyKnown } from '#secrets'
import { chromiumOf, type Inspected, inspectDatabase } from './platform.ts'
import { type Port, portsOf, refuseTaken } from './ports.ts'

const ANSWER_MS = 3_000

export async function examine(config: Config): Promise<readonly Finding[]> {
  const clock = createClock()
  const { redisUrl, tls, gateway } = config
  const { chromium } = chromiumOf(config)
  const findings: Finding[] = [
    ok('settings', config.config ?? 'environment and defaults'),
    ...checkDataDirectory(config.dataDir),
  ]
  // What cannot be written cannot be opened either: its fault is the one to mend.
  const isUsable = !findings.some(({ state, check }) => state === 'fault' && check !== 'free disk')
  if (isUsable) findings.push(...(await checkDatabase(config, clock.now)))
  if (redisUrl !== undefined) findings.push(...(await checkRedis(redisUrl, clock.now)))
  findings.push(...(await checkPorts(config)))
  if (tls.cert !== undefined && tls.key !== undefined) {
    findings.push(checkKeyPair('tls', { cert: tls.cert, key: tls.key }, clock.now()))
  }
  if (gateway.defaultCertificate) {
    const name = 'gateway.default_certificate'
    findings.push(checkKeyPair(name, gateway.defaultCertificate, clock.now()))
  }
  findings.push(...checkBackups(config.backup, clock.now()))
  if (chromium !== undefined) findings.push(await checkChromium(chromium))
  return findings
}

async function checkDatabase(config: Config, now: () => number): Promise<readonly Finding[]> {
  const isShared = config.databaseUrl !== undefined
  const check = isShared ? 'database (PostgreSQL)' : 'database (SQLite)'
  try {
    const found = await inspectDatabase(config, inspect)
    return found ?? [ok(check, 'it is made by the first start')]
  } catch (error) {
    const next = isShared
      ? 'Start it, or correct ENTREPOT_DATABASE_URL.'
      : `Look at the files in ${config.dataDir}; "entrepot restore" puts a backup back.`
    return [fault(check, reasonOf(error), next)]
  }

  async function inspect({ database, pending, box }: Inspected): Promise<Finding[]> {
    const { version, nowMs } = await describeServer(database)
    const time = isShared ? [checkClock('PostgreSQL', Number(nowMs), now())] : []
    if (pending > 0) {
      const says = `${version}, ${pending} migrations behind this version of Entrepot`
      return [warning(check, says, 'Back up; the next start applies them.'), ...time]
    }
    const whole = [ok(check, `${version}, with the schema of this version of Entrepot`), ...time]
    const isKnown = box !== null && (await isMasterKeyKnown({ store: database.main, box }))
    if (!isKnown) return [...whole, lostKey(config, box !== null)]
    const certificates = await findStoredCertificates(database, box)
    return [
      ...whole,
      ok('master key', whereKeyIs(config)),
      ...certificates.map(({ id, cert }) => checkCertificate(`ssls/${id}`, cert, now())),
    ]
  }
}

function lostKey(config: Config, isThere: boolean): Finding {
  const where = whereKeyIs(config)
  const says = isThere ? `${where} is not the key of what is stored` : `${where} is not there`
  const next = `Put the key of these data there, or give it up with "entrepot secrets reset".`
  return fault('master key', says, next)
}

function whereKeyIs({ dataDir, masterKey }: Config): string {
  return masterKey === undefined ? join(dataDir, 'master.key') : 'ENTREPOT_MASTER_KEY'
}

async function checkPorts(config: Config): Promise<Finding[]> {
  const isRunning = await answersAsApi(config)
  return Promise.all(portsOf(config).map((each) => checkPort(each, isRunning)))
}

async function checkPort(port: Port, isRunning: boolean): Promise<Finding> {
  const check = `${port.name} ${port.port}`
  try {
    await refuseTaken(port)
    return ok(check, 'free')
  } catch (error) {
    if (isRunning) return ok(check, 'in use by the server that runs')
    const [says = '', next = ''] = reasonOf(error).split(/(?<=\.) (?=Set )/)
    return fault(check, says, next)
  }
}

/** Whether what listens on the port of the API is an Entrepot; whose name is in its certificate does not matter. */
function answersAsApi({ host, port, tls }: Config): Promise<boolean> {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const options = { host: address, port, path: '/health', timeout: ANSWER_MS }
  return new Promise((resolve) => {
    const asked =
      tls.cert === undefined
        ? nodeHttp().get(options)
        : nodeHttps().get({ ...options, rejectUnauthorized: false })
    asked.once('error', () => resolve(false))
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('response', async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve(text === '{"status":"ok"}')
    })
  })
}
