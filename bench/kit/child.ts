import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 10_000
const POLL_MS = 10

export interface ChildSpec {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Answers 2xx once the child is ready. */
  readonly readyUrl: string
  /** For children that prepare much before they answer. */
  readonly startLimitMs?: number
}

export interface Child {
  readonly pid: number
  /** From the start of the process to the first good answer. */
  readonly readyAfterMs: number
  stop(): Promise<void>
}

export async function startChild(spec: ChildSpec): Promise<Child> {
  const { command, args, env = {}, readyUrl, startLimitMs = START_LIMIT_MS } = spec
  const startedAtMs = performance.now()
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-2_000)
  })
  let failure: string | undefined
  child.once('error', (error) => {
    const absent = 'code' in error && error.code === 'ENOENT'
    failure = absent ? 'not installed; npm run bench:peers installs what is missing' : error.message
  })
  child.once('exit', (code, signal) => {
    failure ??= `ended with ${code ?? signal}`
  })
  const stop = () => stopChild(child)
  while (!(await answers(readyUrl))) {
    if (failure === undefined && performance.now() - startedAtMs < startLimitMs) {
      await wait(POLL_MS)
      continue
    }
    await stop()
    throw new Error(`${command} ${args.join(' ')}: ${failure ?? 'no answer'}\n${complaint}`)
  }
  return { pid: child.pid ?? 0, readyAfterMs: performance.now() - startedAtMs, stop }
}

/** Nobody else is likely to take it before the child does. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(timer)
}
