import { AsyncResource } from 'node:async_hooks'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { DatabaseSettings } from '#db'
import { ALLOCATOR } from '../../bin/allocator.mjs'
import type { DatabaseKind } from './each-database.ts'
import { emptyDatabase, migratedDatabase } from './each-database.ts'
import { freePort } from './ports.ts'
import { useTemplate } from './template.ts'
import { until } from './wait.ts'

const MINUTE_MS = 60_000
const READY_ANSWER_MS = 5_000
/** What the program prints when its ports are open. */
const LISTENING = ', ready in '
/** What the log says of a request that failed for a reason nobody foresaw. */
const UNFORESEEN = /"msg":"request failed"/
let lastQuestion = 0
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface TestServer {
  readonly url: string
  readonly gatewayUrl: string
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  readonly pid: number
  /** Everything printed so far, standard output and error together. */
  output(): string
  /** What its log file holds. */
  log(): string
  /** Moves the clock of all threads; resolves when it holds. */
  setClockOffset(ms: number): Promise<void>
  /** How far it has come with the changes of each topic. */
  revisionsOf(topics: readonly string[]): Promise<number[]>
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code, null after a kill. */
  exited(): Promise<number | null>
  kill(): Promise<void>
  /** Starts it again on the same ports and data, after it has ended. */
  restart(): Promise<void>
}

interface Reply {
  readonly id: number
  readonly revisions: number[]
}

/**
 * Environment of an installation on free ports, with a database without rows and without starter types. One
 * gateway thread, because every one takes half a second to start: tests of the gateway set three.
 */
export async function installation(
  kind: DatabaseKind,
  extra: Record<string, string> = {},
): Promise<Record<string, string>> {
  return environmentOf(await migratedDatabase(kind), extra)
}

/** The same with a database that nobody has started on yet: for what migrates it, restores into it or refuses it. */
export async function emptyInstallation(
  kind: DatabaseKind,
  extra: Record<string, string> = {},
): Promise<Record<string, string>> {
  return environmentOf(await emptyDatabase(kind), extra)
}

async function environmentOf(
  { url, dataDir }: DatabaseSettings,
  extra: Record<string, string>,
): Promise<Record<string, string>> {
  return {
    ENTREPOT_ENV: 'test',
    ENTREPOT_DATA_DIR: dataDir,
    ENTREPOT_PORT: String(await freePort()),
    ENTREPOT_GATEWAY_PORT: String(await freePort()),
    ENTREPOT_GATEWAY_THREADS: '1',
    ENTREPOT_STARTER: 'none',
    ...(url === undefined ? {} : { ENTREPOT_DATABASE_URL: url }),
    ...extra,
  }
}

interface StartOptions {
  /** Of another checkout. */
  readonly root?: string | undefined
  /** Its migrations are what is tested: otherwise SQLite starts on a copy of a migrated database. */
  readonly migrates?: boolean
}

/** A whole server as a child process, ready when this resolves, ended with the test file. */
export async function startServer(
  env: Record<string, string>,
  { root = ROOT, migrates = root !== ROOT }: StartOptions = {},
): Promise<TestServer> {
  const { ENTREPOT_DATA_DIR: dataDir } = env
  const isSqlite = env['ENTREPOT_DATABASE_URL'] === undefined
  if (!migrates && isSqlite && dataDir !== undefined) useTemplate(dataDir)
  let running = launch(env, root)
  after(() => end(running))
  const url = `http://127.0.0.1:${env['ENTREPOT_PORT']}`
  await ready()
  return {
    url,
    gatewayUrl: `http://127.0.0.1:${env['ENTREPOT_GATEWAY_PORT']}`,
    dataDir: env['ENTREPOT_DATA_DIR'] ?? '',
    env,
    get pid() {
      return running.child.pid ?? 0
    },
    output: () => running.output(),
    log: () => readFileSync(join(env['ENTREPOT_DATA_DIR'] ?? '', 'logs', 'entrepot.log'), 'utf8'),
    setClockOffset: async (ms) => void (await ask({ clockOffsetMs: ms })),
    revisionsOf: async (topics) => (await ask({ topics })).revisions,
    signal: (name) => void running.child.kill(name),
    exited: () => exitOf(running),
    kill: () => end(running),
    async restart() {
      await exitOf(running)
      running = launch(env, root)
      await ready()
    },
  }

  function ask(question: object): Promise<Reply> {
    const { child } = running
    const id = ++lastQuestion
    return new Promise((resolve) => {
      child.on('message', function hear(reply: Reply) {
        if (reply.id !== id) return
        child.off('message', hear)
        resolve(reply)
      })
      child.send({ id, ...question })
    })
  }

  async function ready() {
    const { child, output } = running
    let heard = 'not asked'
    await until(
      async () => {
        if (hasEnded(child)) throw new Error('it ended early')
        // Asking all the time would take from the server what it needs to start.
        if (!output().includes(LISTENING)) return undefined
        const signal = AbortSignal.timeout(READY_ANSWER_MS)
        const answer = await fetch(`${url}/ready`, { signal }).catch(() => undefined)
        heard = (await answer?.text().catch(() => undefined)) ?? heard
        return answer?.ok
      },
      { withinMs: 60_000, what: 'the server' },
    ).catch((error: Error) => {
      const end = `exit ${child.exitCode} ${child.signalCode ?? ''}`
      throw new Error(`${error.message} (${end}); /ready: ${heard}; printed:\n${output()}`)
    })
  }
}

/**
 * One server for all tests of a `describe`; started before the first of them. When it has answered
 * 500 they fail in the end, and tell why it did.
 */
export function shareServer<T extends TestServer>(start: () => Promise<T>): () => T {
  let running: T | undefined
  // What a hook starts ends with the hook; bound here, it belongs to the `describe`.
  const bound = AsyncResource.bind(start)
  before(async () => {
    running = await bound()
  })
  after(() => {
    const failures = (running?.log() ?? '').split('\n').filter((line) => UNFORESEEN.test(line))
    if (failures.length > 0) throw new Error(`answered 500:\n${failures.join('\n')}`)
  })
  return () => {
    if (!running) throw new Error('not started yet')
    return running
  }
}

/** Limits of a minute count anew from the next on: for the test the clocks are at the beginning of the same one. */
export async function beginMinute(t: TestContext, ...servers: TestServer[]): Promise<void> {
  const offsetMs = MINUTE_MS - (Date.now() % MINUTE_MS)
  const setClocks = (ms: number) => Promise.all(servers.map((server) => server.setClockOffset(ms)))
  t.after(() => setClocks(0))
  await setClocks(offsetMs)
}

/** Runs the program until it ends by itself, for starts that must fail and for commands. */
export async function runEntrepot(args: readonly string[], env: Record<string, string>) {
  const running = launch(env, ROOT, args)
  const code = await exitOf(running)
  return { code, output: running.output() }
}

interface Running {
  readonly child: ChildProcess
  output(): string
}

function launch(
  env: Record<string, string>,
  root: string,
  args: readonly string[] = ['start'],
): Running {
  const child = spawn(process.execPath, [join(root, 'bin/entrepot.mjs'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...ALLOCATOR, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let seen = ''
  child.stdout?.on('data', (chunk) => {
    seen += chunk
  })
  child.stderr?.on('data', (chunk) => {
    seen += chunk
  })
  return { child, output: () => seen }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function exitOf({ child }: Running): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit')
  return child.exitCode
}

async function end(running: Running): Promise<void> {
  running.child.kill('SIGKILL')
  await exitOf(running)
}
