import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openTestDatabase, temporaryDirectory } from '#test-kit'
import { boot, createSink, handled } from './journal/sink.ts'

const KILLS = 20

test('killed in the middle of appends, every record whose append returned is handled once', async (t) => {
  const db = await openTestDatabase('sqlite')
  await createSink(db.database)
  const directory = temporaryDirectory()
  const told: string[] = []
  for (let kill = 0; kill < KILLS; kill++) told.push(...(await stormUntilKilled(directory)))

  const survivor = boot(db, directory, { limits: { maxTotalBytes: 2 ** 40 } })
  await survivor.drain.drainAll()
  const names = await handled(db.database, '')
  const found = new Set(names)
  assert.equal(found.size, names.length, 'none is handled twice')
  const lost = told.filter((name) => !found.has(name))
  assert.deepEqual(lost, [])
  assert.ok(names.length - told.length <= KILLS * 3, 'no more than one more for each thread')
  t.diagnostic(
    `${told.length} appends returned, ${names.length} records, ${survivor.warnings.length} torn`,
  )
  survivor.die()
})

/** What the process told before it died; its last line may be cut. */
async function stormUntilKilled(directory: string): Promise<string[]> {
  const program = new URL('./kill/storm.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  await once(child.stdout, 'data')
  await delay(randomInt(5, 60))
  child.kill('SIGKILL')
  await once(child, 'close')
  return text.split('\n').slice(0, -1)
}
