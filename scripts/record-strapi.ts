// Records what a real Strapi answers to `entrepot import strapi` and to the reads of clients, for the tests of both.
// Needs `npm run bench:peers`, or the URL and the token of the magazine where it runs already. Writes
// test/strapi/magazine.json.br.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { BY_DOCUMENT, READS } from '../test/strapi/reads.ts'
import { RECORDING, type RecordedAnswer } from '../test/strapi/recorded.ts'
import { startStrapi } from '../test/strapi/start.ts'

const PROGRAM = fileURLToPath(new URL('../bin/entrepot.mjs', import.meta.url))
const KEY = `sk_${'Record'.repeat(8)}`
const PORT = 14_500

const [, , running, token = ''] = process.argv
const strapi = running ? { url: running, token, stop: async () => {} } : await startStrapi()
const recording: Record<string, RecordedAnswer> = {}
const between = createServer(async ({ url: path = '' }, response) => {
  const { status, type, bytes } = await record(path)
  response.writeHead(status, { 'content-type': type })
  response.end(bytes)
})
await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
const { port } = between.address() as AddressInfo
await importOnce(`http://127.0.0.1:${port}`)
for (const { path } of READS) await record(path)
for (const { path } of BY_DOCUMENT) await recordDocuments(path)
between.close()
await strapi.stop()
const text = Buffer.from(JSON.stringify(recording))
const params = {
  [constants.BROTLI_PARAM_LGWIN]: 24,
  [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
}
const packed = brotliCompressSync(text, { params })
writeFileSync(RECORDING, packed)
console.log(
  `${Object.keys(recording).length} answers, ${text.length} bytes, ${packed.length} packed`,
)

async function record(path: string) {
  const headers = { authorization: `Bearer ${strapi.token}` }
  const answer = await fetch(`${strapi.url}${path}`, { headers })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const type = answer.headers.get('content-type') ?? ''
  const body = type.includes('json')
    ? { text: bytes.toString() }
    : { base64: bytes.toString('base64') }
  recording[path] = { status: answer.status, type, ...body }
  if (answer.status !== 200) console.log(`${answer.status} ${path}`)
  return { status: answer.status, type, bytes }
}

/** One entry after the other of a list. */
async function recordDocuments(list: string) {
  const { bytes } = await record(list)
  const { data }: { data: { documentId: string }[] } = JSON.parse(bytes.toString())
  const [path = '', query = ''] = list.split('?')
  const locale = /locale=\w+/.exec(query)?.[0]
  for (const { documentId } of data) {
    await record(`${path}/${documentId}?populate=*${locale ? `&${locale}` : ''}`)
  }
}

/** Into a server of its own, which is thrown away. */
async function importOnce(from: string) {
  const directory = mkdtempSync(join(tmpdir(), 'record-'))
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', ENTREPOT_DATA_DIR: directory, ENTREPOT_STARTER: 'none' },
    ...{ ENTREPOT_PORT: String(PORT), ENTREPOT_GATEWAY_PORT: String(PORT + 1) },
    ...{ ENTREPOT_ADMIN_KEY: KEY, ENTREPOT_CLI_KEY: KEY, ENTREPOT_CLI_TOKEN: strapi.token },
  }
  const server = spawn(process.execPath, [PROGRAM, 'start'], { env, stdio: 'ignore' })
  while (!(await fetch(`http://127.0.0.1:${PORT}/ready`).catch(() => undefined))?.ok)
    await delay(200)
  const importing = spawn(process.execPath, [PROGRAM, 'import', 'strapi', from], {
    env,
    stdio: 'inherit',
  })
  const [code] = await once(importing, 'exit')
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(directory, { recursive: true, force: true })
  if (code !== 0) console.log(`the import ended with ${code}`)
}
