import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '#test-kit'
import { besideUploads } from '../contract/content/upload-load.ts'

const PICTURES = Number(process.env['PICTURES'] ?? 1_000)

eachDatabase('the API beside uploads', (kind) => {
  test(`content-model 5: ${PICTURES} pictures uploaded at once leave the p99 of the API within twice its idle value`, async () => {
    const { aloneMs, besideMs } = await besideUploads(kind, PICTURES, 10)
    assert.ok(besideMs < 2 * aloneMs, `${besideMs.toFixed(1)} ms, alone ${aloneMs.toFixed(1)} ms`)
  })
})
