import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadPlugins } from '../plugins/load.ts'
import { describeResources } from './descriptions.ts'

test('gateway 27: settings without effect are no fault of what earlier versions have stored', () => {
  const descriptions = describeResources(loadPlugins())
  const keyAuth = { key: 'k', _meta: { priority: 1 } }
  const limit = { count: 1, time_window: 60 }
  for (const [kind, value, idle] of [
    [
      'consumers',
      {
        username: 'ann',
        plugins: { 'key-auth': keyAuth, 'plan-access': {}, 'rate-limiting': limit },
      },
      ['/plugins/key-auth/_meta/priority', '/plugins/plan-access'],
    ],
    ['credentials', { plugins: { 'key-auth': keyAuth } }, ['/plugins/key-auth/_meta/priority']],
    ['credentials', { plugins: { 'rate-limiting': limit } }, ['/plugins/rate-limiting']],
    ['routes', { uri: '/a', plugins: { 'plan-access': { _meta: { priority: 1 } } } }, []],
  ] as const) {
    const description = descriptions.get(kind)
    // By its faults a stored object is skipped at a start, and with it whoever calls by its keys.
    assert.deepEqual(description?.findFaults(value), [], kind)
    assert.deepEqual(
      description.findIdle(value).map(({ path }) => path),
      idle,
    )
  }
})
