// A thread that uploads one picture many times, as somebody elsewhere would: it takes no core from the server.
import assert from 'node:assert/strict'
import { workerData } from 'node:worker_threads'
import { giveWay } from '#threads'

export interface Sending {
  readonly url: string
  readonly key: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly count: number
}

/** As many connections as a browser would open. */
const UPLOADERS = 8

const { url, key, bytes, count }: Sending = workerData
giveWay()
let sent = 0
await Promise.all(Array.from({ length: UPLOADERS }, send))

async function send() {
  while (sent++ < count) {
    const form = new FormData()
    form.set('file', new Blob([bytes]), `picture-${sent}.jpg`)
    const headers = { 'x-api-key': key }
    const answer = await fetch(`${url}/api/v1/media`, { method: 'POST', body: form, headers })
    assert.equal(answer.status, 201)
    await answer.arrayBuffer()
  }
}
