import { test } from 'node:test'
import { eachDatabase } from '#test-kit'
import { attackAccess } from '../contract/access/hostile.ts'
import { accessServer } from '../contract/access/support.ts'

eachDatabase('access', (kind) => {
  const access = accessServer(kind, { ENTREPOT_TRUSTED_PROXIES: '127.0.0.1' })

  test('access 19: 10,000 hostile requests to each interface are answered in its error shape', () =>
    attackAccess(access, 10_000))
})
