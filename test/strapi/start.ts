import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, machinePath } from '#test-kit'
import { AS_IT_WAS, type OldStrapi, send } from './recorded.ts'

const PEERS = fileURLToPath(new URL('../../bench/peers', import.meta.url))
/** It fills its database before it answers. */
const STARTED_WITHIN_MS = 240_000

export interface Strapi {
  readonly url: string
  readonly token: string
  stop(): Promise<void>
}

export const isStrapiInstalled = existsSync(join(PEERS, 'strapi/node_modules/@strapi/strapi'))

/** The magazine of bench/peers in a real Strapi, with 1,000 entries and 50 files. */
export async function startStrapi(): Promise<Strapi> {
  const home = mkdtempSync(join(tmpdir(), 'magazine-'))
  cpSync(join(PEERS, 'magazine'), home, { recursive: true })
  symlinkSync(join(PEERS, 'strapi/node_modules'), join(home, 'node_modules'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const tokenFile = join(home, 'token')
  const child = spawn('node', ['node_modules/@strapi/strapi/bin/strapi.js', 'start'], {
    cwd: home,
    // The machine's own Node: the database driver is compiled for it.
    env: {
      ...{ PATH: machinePath(), HOME: home, NODE_ENV: 'production', STRAPI_PORT: String(port) },
      ...{ STRAPI_DATABASE: join(home, 'data.db'), STRAPI_TOKEN_FILE: tokenFile },
      STRAPI_TELEMETRY_DISABLED: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text))
  await answering(child, url, () => printed)
  return { url, token: readFileSync(tokenFile, 'utf8'), stop }

  async function stop() {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(home, { recursive: true, force: true })
  }
}

async function answering(child: ChildProcess, url: string, printed: () => string): Promise<void> {
  const untilMs = performance.now() + STARTED_WITHIN_MS
  while (performance.now() < untilMs) {
    if (child.exitCode !== null) throw new Error(`Strapi ended:\n${printed()}`)
    const answer = await fetch(`${url}/_health`).catch(() => undefined)
    if (answer?.ok) return
    await delay(250)
  }
  child.kill('SIGKILL')
  throw new Error(`Strapi did not start:\n${printed()}`)
}

/** The same behind a server that sees what is asked, ended with the test file. */
export async function startObserved(): Promise<OldStrapi> {
  const { url: behind, token, stop } = await startStrapi()
  const started: { -readonly [K in keyof OldStrapi]: OldStrapi[K] } = {
    ...{ url: '', token, asked: [], onAsked: () => {}, instead: AS_IT_WAS },
  }
  const server = createServer(async ({ url: path = '', headers }, response) => {
    started.asked.push(path)
    started.onAsked(path)
    const { authorization = '' } = headers
    const answer = await fetch(`${behind}${path}`, { headers: { authorization } })
    const type = answer.headers.get('content-type') ?? ''
    const base64 = Buffer.from(await answer.arrayBuffer()).toString('base64')
    send(response, started.instead(path, { status: answer.status, type, base64 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(async () => {
    server.close()
    await stop()
  })
  const { port } = server.address() as AddressInfo
  started.url = `http://127.0.0.1:${port}`
  return started
}
