import { AsyncResource } from 'node:async_hooks'
import { before, describe } from 'node:test'
import { ADMIN_KEY, startPair, type TestServer } from '#test-kit'
import { limitsOfPair } from './limits.ts'
import { oauthOfPair } from './oauth.ts'
import { settingsOfPair } from './settings.ts'
import { usageOfPair } from './usage-server.ts'

describe('access on two nodes without Redis', () => {
  let first: TestServer
  let second: TestServer
  const start = AsyncResource.bind(() =>
    startPair({ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_COUNTERS_STORE_TIMEOUT_MS: '5000' }),
  )
  before(async () => {
    ;[first, second] = await start()
  })
  const pair = [() => first, () => second] as const
  limitsOfPair(...pair)
  oauthOfPair(...pair)
  settingsOfPair(...pair)
  usageOfPair(...pair)
})
