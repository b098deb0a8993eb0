import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import sharp from 'sharp'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  installation,
  needPrograms,
  startServer,
  tell,
  until,
} from '#test-kit'
import type { Sending } from './upload-sender.ts'

const run = promisify(execFile)
const CLIENTS = 10
const ASKED_PER_SECOND = 100

/**
 * The p99 of lists of the API while nothing else happens, and while pictures are uploaded and their
 * formats made, measured by a small program of its own.
 */
export async function besideUploads(kind: DatabaseKind, pictures: number, seconds: number) {
  needPrograms('h2load')
  const tmp = await mkdtemp(join(tmpdir(), 'entrepot-uploads-'))
  const env = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'types' }
  const server = await startServer(await installation(kind, env))
  const calls = createCalls(() => server.url)
  const key = ADMIN_KEY
  for (let number = 0; number < 50; number++) {
    const body = { title: `Article ${number}`, body: 'text '.repeat(200) }
    await calls.ok('POST', '/api/v1/articles', { body })
  }
  const bytes = new Uint8Array(await noisyPicture())
  // Code is compiled, and the process of pictures has run once.
  await uploadAll(1)
  await untilFormatted(1)
  await measure(2)
  const alone = await measure(seconds)
  const beside: number[] = []
  let areSent = false
  const uploading = uploadAll(pictures).then(() => {
    areSent = true
  })
  // While they come, and for a while of those in which their formats are made.
  do beside.push(...(await measure(seconds)))
  while (!areSent)
  for (let round = 0; round < 3; round++) beside.push(...(await measure(seconds)))
  await uploading
  await rm(tmp, { recursive: true })
  const figures = { aloneMs: p99(alone), besideMs: p99(beside) }
  const shown = `p99 ${figures.aloneMs.toFixed(1)} ms alone, ${figures.besideMs.toFixed(1)} ms beside`
  tell(`${kind}: ${shown} the upload of ${pictures} pictures and their formats`)
  await untilFormatted(pictures + 1)
  return figures

  async function uploadAll(count: number) {
    const sending: Sending = { url: server.url, key, bytes, count }
    const sender = new Worker(new URL('./upload-sender.ts', import.meta.url), {
      workerData: sending,
    })
    await once(sender, 'exit')
  }

  function untilFormatted(count: number) {
    return until(
      async () => {
        const lines = server.log().split('\n')
        return lines.filter((line) => line.includes('got its formats')).length >= count
      },
      { withinMs: 1_800_000, what: `${count} pictures with formats` },
    )
  }

  async function measure(durationS: number): Promise<number[]> {
    const log = join(tmp, 'requests.tsv')
    await rm(log, { force: true })
    const pages = [1, 2, 3, 4, 5].map(
      (page) => `${server.url}/api/v1/articles?per_page=10&page=${page}`,
    )
    const pace = ['--h1', `-c${CLIENTS}`, `--rps=${ASKED_PER_SECOND / CLIENTS}`, `-D${durationS}`]
    await run('h2load', [...pace, `--log-file=${log}`, `-Hx-api-key: ${key}`, ...pages])
    const lines = (await readFile(log, 'utf8')).trim().split('\n')
    const requests = lines.map((line) => line.split('\t').map(Number))
    for (const [, status] of requests) assert.equal(status, 200)
    return requests.map(([, , micros = 0]) => micros / 1_000)
  }
}

/** As a camera makes them: one that is all of one colour would cost nothing. */
function noisyPicture(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  return sharp({ create: { width: 1_024, height: 768, channels: 3, noise, background: 'black' } })
    .jpeg({ quality: 80 })
    .toBuffer()
}

function p99(timesMs: readonly number[]): number {
  return timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? 0
}
