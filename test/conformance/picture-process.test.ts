import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { createPictureProcess } from '#content-media'
import { temporaryDirectory } from '#test-kit'

const none = new AbortController().signal

test('cms-rest 15: a picture that takes too long ends with its process, and the next one has a new process', async (t) => {
  const directory = temporaryDirectory()
  const path = join(directory, 'picture.png')
  const drawn = sharp({ create: { width: 800, height: 600, channels: 3, background: 'teal' } })
  writeFileSync(path, await drawn.png().toBuffer())
  const order = { path, into: join(directory, 'made-'), maxPixels: 1_000_000 }
  const hurried = createPictureProcess({ longestMs: 1 })
  t.after(hurried.stop)
  for (const time of ['first', 'second']) {
    const late = await hurried.make(order, none)
    assert.deepEqual(late, { kind: 'died', message: 'it took more than 0.001 seconds' }, time)
  }
  const patient = createPictureProcess()
  t.after(patient.stop)
  const made = await patient.make(order, none)
  assert.equal(made.kind === 'made' && made.pictures.length, 3)
  const refused = await patient.make({ ...order, maxPixels: 1_000 }, none)
  assert.equal(refused.kind, 'refused')
  const stopped = new AbortController()
  const asked = patient.make(order, stopped.signal)
  stopped.abort()
  assert.equal((await asked).kind, 'died')
})
