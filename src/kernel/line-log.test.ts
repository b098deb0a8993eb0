import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLineLog } from './line-log.ts'

test('a line is one JSON object with the members of all other lines', () => {
  const lines: string[] = []
  const log = createLineLog({ write: (line) => lines.push(line) }, 'main')
  log.info({ path: '/a"b\n', status: 200, query: undefined }, 'request')
  const [line = ''] = lines
  assert.equal(line.indexOf('\n'), line.length - 1)
  const { time, ...rest } = JSON.parse(line)
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const expected = { level: 30, thread: 'main', path: '/a"b\n', status: 200, msg: 'request' }
  assert.deepEqual(rest, expected)
})
