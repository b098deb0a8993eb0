import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { random } from '#kernel'
import { temporaryDirectory } from '#test-kit'
import { createDirectoryBytes } from './bytes/directory.ts'
import { INCOMING } from './bytes/incoming.ts'
import { createReceiver } from './receive.ts'

/** Whatever is written there finds the disk full. */
const FULL = '/dev/full'
const DISK_FULL = { kind: 'unavailable', code: 'disk_full' }

test('contract item: a disk that is full while bytes come is 503 disk_full', async () => {
  const { directory, receiver } = open()
  mkdirSync(join(directory, INCOMING))
  symlinkSync(FULL, join(directory, INCOMING, 'fixed'))
  await assert.rejects(receiver.receive(upload()), DISK_FULL)
})

for (const step of ['doubt', 'take'] as const) {
  test(`contract item: a disk that is full when received bytes are put in place is 503 disk_full (${step})`, async () => {
    const { receiver } = open({ [step]: async () => writeFileSync(FULL, 'text') })
    const received = await receiver.receive(upload())
    await assert.rejects(receiver.store(received), DISK_FULL)
    await receiver.discard(received)
  })
}

function open(failing: Partial<ReturnType<typeof createDirectoryBytes>> = {}) {
  const directory = temporaryDirectory()
  const receiver = createReceiver({
    ...{ directory, bytes: { ...createDirectoryBytes(directory), ...failing } },
    ...{ isKept: async () => false, random: { ...random, text: () => 'fixed' }, maxBytes: 1_000 },
  })
  return { directory, receiver }
}

function upload() {
  return { name: 'a.txt', stream: Readable.from(['text'], { objectMode: false }) }
}
