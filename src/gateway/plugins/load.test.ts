import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadPlugins } from './load.ts'

const { all } = loadPlugins()

test('every file of the folder is a plugin of its own name with a priority of its own', () => {
  // A larger plugin has a folder of its name beside its file.
  const files = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^load\.|\.test\.ts$/.test(entry.name))
    .map(({ name }) => name)
  assert.deepEqual(all.map(({ name }) => `${name}.ts`).sort(), files.sort())
  assert.equal(new Set(all.map(({ priority }) => priority)).size, all.length)
})

test('priorities are those of the contract, which existing configurations rely on', () => {
  const expected: Record<string, number> = {
    'real-ip': 23000,
    'request-id': 12015,
    cors: 4000,
    'ip-restriction': 3000,
    'uri-blocker': 2900,
    'request-validation': 2800,
    'plan-access': 2540,
    'basic-auth': 2520,
    'openid-connect': 2599,
    'proxy-cache': 1085,
    'jwt-auth': 2510,
    'key-auth': 2500,
    'consumer-restriction': 2400,
    'proxy-rewrite': 1008,
    'api-breaker': 1005,
    'limit-conn': 1003,
    'rate-limiting': 1002,
    'limit-req': 1001,
    'traffic-split': 966,
    'serverless-pre-function': 10000,
    prometheus: 500,
    'http-logger': 410,
    'file-logger': 399,
    'serverless-post-function': -2000,
    redirect: 900,
    'response-rewrite': 899,
  }
  for (const { name, priority } of all) {
    if (name in expected) assert.equal(priority, expected[name], name)
  }
})

for (const { name, schema, consumerSchema, authenticates } of all) {
  test(`${name} says what it is for and describes its settings`, () => {
    const source = readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8')
    assert.match(source, /\/\*\* [A-Z][^*]+\. ?\*\/\nexport default definePlugin/)
    assert.equal(JSON.parse(JSON.stringify(schema)).type, 'object')
    // Contract §7.1: settings that are not known are ignored.
    assert.notEqual(JSON.parse(JSON.stringify(schema)).additionalProperties, false)
    if (consumerSchema) assert.equal(authenticates, true)
  })
}
