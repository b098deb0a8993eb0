import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatches, createLineLog } from './line-log.ts'

test('a line is one JSON object with the members of all other lines', () => {
  const lines: string[] = []
  const log = createLineLog({ write: (line) => lines.push(line) }, 'main')
  log.write(',"path":"/a\\"b\\n","status":200', 'request')
  const [line = ''] = lines
  assert.equal(line.indexOf('\n'), line.length - 1)
  const { time, ...rest } = JSON.parse(line)
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const expected = { level: 30, thread: 'main', path: '/a"b\n', status: 200, msg: 'request' }
  assert.deepEqual(rest, expected)
})

test('lines leave together, in their order, none of them lost', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const written: string[] = []
  const batches = createBatches({ write: (lines) => written.push(lines) })
  batches.write('a\n')
  batches.write('b\n')
  assert.deepEqual(written, [])
  context.mock.timers.tick(100)
  assert.deepEqual(written, ['a\nb\n'])
  const long = `${'x'.repeat(40_000)}\n`
  batches.write(long)
  batches.write('c\n')
  batches.flush()
  assert.deepEqual(written, ['a\nb\n', long, 'c\n'])
})
