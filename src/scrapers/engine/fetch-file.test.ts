import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '#kernel'
import { createFileSource } from './fetch-file.ts'
import { ALLOW_ALL } from './robots.ts'

test('scrapers media: what nobody foresaw on the way to a file costs the file, not the run', async () => {
  let warnings = 0
  const { signal } = new AbortController()
  const source = createFileSource({
    ...{ signal, random, maxRetries: 2, log: { warn: () => warnings++ } },
    requests: {
      open: async () => {
        throw new Error('too many open files')
      },
    },
    robots: { of: async () => ALLOW_ALL },
    urls: { identify: (text) => new URL(text) },
    hosts: { pauseAfter: () => 0 },
  })
  const wanted = { known: undefined, maxBytes: 1_000 }
  const { kind, ...failure } = await source.open(new URL('http://site.test/a.png'), wanted)
  assert.deepEqual(
    [kind, failure],
    ['failed', { message: 'It could not be fetched', mayPass: false }],
  )
  assert.equal(warnings, 1)
})
