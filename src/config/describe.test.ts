import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeAreas, describeConfig } from './describe.ts'
import { parseConfig } from './parse.ts'

const cwd = join(tmpdir(), 'entrepot-no-such-directory')
const SECRET = 'hunter2-hunter2-hunter2-hunter2-hunter2'

test('secrets are shown as ***, URLs without their password, unset ones not at all', () => {
  const rows = rowsOf({
    ENTREPOT_MASTER_KEY: SECRET,
    ENTREPOT_GATEWAY_ADMIN_KEY: SECRET,
    ENTREPOT_DELIVERY_API_KEY: SECRET,
    ENTREPOT_DATABASE_URL: `postgres://shop:${SECRET}@db.example.org/shop?password=${SECRET}`,
    ENTREPOT_REDIS_URL: `redis://:${SECRET}@cache:6379/1`,
  })
  assert.doesNotMatch(JSON.stringify([...rows]), /hunter2/)
  assert.equal(rows.get('master_key')?.value, '***')
  assert.equal(
    rows.get('database_url')?.value,
    'postgres://shop:***@db.example.org/shop?password=***',
  )
  assert.equal(rows.get('redis_url')?.value, 'redis://:***@cache:6379/1')
  assert.equal(rows.get('api_secret')?.value, undefined)
})

test('each row knows the names and the origin of its setting', () => {
  const row = rowsOf({ ENTREPOT_GATEWAY_PORT: '9999' }).get('gateway.port')
  assert.equal(row?.variable, 'ENTREPOT_GATEWAY_PORT')
  assert.equal(row?.origin, 'environment')
  assert.equal(row?.value, 9999)
})

test('the areas are those of the settings interface, with the spelling of their contract', () => {
  const areas = areasOf({ ENTREPOT_LIMITS_ANONYMOUS_PER_MINUTE: '30' })
  assert.deepEqual([...areas.keys()].sort(), [
    'content',
    'delivery',
    'graphql',
    'jsonapi',
    'limits',
    'scrapers',
    'webhooks',
  ])
  const delivery = areas.get('delivery')?.map((member) => member.name) ?? []
  assert.ok(delivery.includes('PublicAccess') && delivery.includes('Media.PublicAccess'))
  const member = memberOf(areas, 'limits', 'anonymous_per_minute')
  assert.deepEqual(
    [member.key, member.value, member.origin],
    ['anonymousPerMinute', 30, 'environment'],
  )
})

test('an area member checks and masks values that are stored later', () => {
  const areas = areasOf({})
  const schedule = memberOf(areas, 'webhooks', 'retry_schedule')
  assert.equal(schedule.accepts([]), true)
  assert.equal(schedule.accepts([-1]), false)
  assert.equal(schedule.accepts('5'), false)
  assert.equal(memberOf(areas, 'delivery', 'ApiKey').mask('hunter2'), '***')
  assert.equal(
    memberOf(areas, 'webhooks', 'proxy_url').mask('http://u:hunter2@proxy:3128/'),
    'http://u:***@proxy:3128/',
  )
})

function rowsOf(env: Record<string, string>) {
  return new Map(describeConfig(parseConfig({ env, cwd })).map((row) => [row.name, row]))
}

function areasOf(env: Record<string, string>) {
  return new Map(describeAreas(parseConfig({ env, cwd })).map((area) => [area.name, area.members]))
}

function memberOf(areas: ReturnType<typeof areasOf>, area: string, name: string) {
  return areas.get(area)?.find((member) => member.name === name) ?? assert.fail(`no ${name}`)
}
