import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  ADMIN_KEY,
  contentSuite,
  createCalls,
  followDocument,
  freePort,
  installation,
  linkPackages,
  needPrograms,
  shareServer,
  startServer,
  temporaryDirectory,
  testPostgres,
  testRedis,
} from '#test-kit'
import { startRecorded } from '../../strapi/recorded.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** What the product needs of a checkout. */
const CHECKOUT = ['bin', 'migrations', 'package.json', 'package-lock.json', 'scripts', 'src']

/** Each guide is followed on a store that is empty, or has what an empty store is given. */
const ON_EMPTY = [
  // Before any other that configures the gateway, which an import would replace.
  'from-apisix',
  ...['model-content', 'publish', 'sell', 'protect', 'scrape', 'receive-webhooks'],
  ...['from-drupal', 'from-umbraco'],
]

describe('guides on one server', () => {
  const server = shareServer(async () => startServer(await settings({ ENTREPOT_STARTER: 'none' })))
  const calls = createCalls(() => server().url)
  const client = join(temporaryDirectory(), 'client')
  before(() => {
    needPrograms('python3')
    needPrograms('php')
    const script = join(ROOT, 'scripts/build-client.mjs')
    execFileSync(process.execPath, [script, join(client, 'dist')])
    cpSync(join(ROOT, 'client/package.json'), join(client, 'package.json'))
  })
  for (const guide of ON_EMPTY) {
    const define = () =>
      test(`guides: ${guide} works as it is written`, async () => {
        await follow(guide, server().env, siteWith(client))
      })
    contentSuite(guide, calls, { prepare: async () => {}, define })
  }
})

describe('guides with servers of their own', () => {
  test('guides: from-strapi works as it is written', async () => {
    const strapi = await startRecorded()
    const server = await startServer(await settings({ ENTREPOT_STARTER: 'none' }))
    const names = { 'https://old.example': strapi.url, 'token-of-the-old-strapi': strapi.token }
    await follow('from-strapi', server.env, temporaryDirectory(), names)
  })

  test('guides: from-magento works as it is written', async () => {
    const server = await startServer(await settings({ ENTREPOT_STARTER: 'types' }))
    await follow('from-magento', server.env, temporaryDirectory())
  })

  test('guides: write-a-plugin works as it is written', async () => {
    const checkout = temporaryDirectory()
    for (const part of CHECKOUT) {
      cpSync(join(ROOT, part), join(checkout, part), { recursive: true, preserveTimestamps: true })
    }
    linkPackages(checkout)
    const { ENTREPOT_DATA_DIR: _own, ...env } = await settings({ ENTREPOT_STARTER: 'none' })
    await follow('write-a-plugin', env, checkout)
  })

  test('guides: upgrade works as it is written', async () => {
    const { ENTREPOT_DATA_DIR: _own, ...env } = await settings({ ENTREPOT_STARTER: 'types' })
    await follow('upgrade', env, temporaryDirectory())
  })

  test('guides: several-nodes works as it is written', async () => {
    const { ENTREPOT_DATA_DIR: _own, ...env } = await settings({ ENTREPOT_STARTER: 'none' })
    const [{ url }, redis] = [await testPostgres(), testRedis()]
    const names = {
      'postgres://entrepot@127.0.0.1/entrepot': url,
      'redis://127.0.0.1:6379': redis.url,
    }
    const prefixed = { ...env, ENTREPOT_REDIS_PREFIX: redis.prefix }
    await follow('several-nodes', prefixed, temporaryDirectory(), names)
  })
})

/** As a reader has it: on a machine of their own. */
function settings(extra: Record<string, string>): Promise<Record<string, string>> {
  return installation('sqlite', {
    ...{ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_ENV: 'development' },
    ...extra,
  })
}

/** A directory where `@entrepot/client` and express are installed. */
function siteWith(client: string): string {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, 'node_modules/@entrepot'), { recursive: true })
  symlinkSync(client, join(cwd, 'node_modules/@entrepot/client'))
  symlinkSync(join(ROOT, 'node_modules/express'), join(cwd, 'node_modules/express'))
  return cwd
}

async function follow(
  guide: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  further: Readonly<Record<string, string>> = {},
): Promise<void> {
  const own = { 8080: env['ENTREPOT_PORT'], 9080: env['ENTREPOT_GATEWAY_PORT'] }
  const others = [8081, 9081, 3900, 3901, 3910, 3920, 3921, 3922, 3923]
  const ports = Object.fromEntries(
    await Promise.all(others.map(async (port) => [port, String(await freePort())])),
  )
  const names = { ...further, ...portNames({ ...own, ...ports }) }
  const path = `docs/guides/${guide}.md`
  await followDocument(path, { cwd, env, names })
}

/** No number of a port is part of another number in a guide, so it is found wherever it stands. */
function portNames(ports: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(ports).map(([from, to]) => [from, to ?? from]))
}
