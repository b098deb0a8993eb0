import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenersOn } from './listeners.ts'
import { needPrograms } from './packages.ts'
import { freePort } from './ports.ts'
import { until } from './wait.ts'

export interface RabbitServer {
  readonly url: string
  /** As by a power cut: what it has confirmed must survive. */
  kill(): Promise<void>
  /** Lets it run short of memory, as it believes: it then reads from no connection that publishes. */
  setBlocked(isBlocked: boolean): Promise<void>
  /** How many connections it has. */
  connections(): Promise<number>
  /** Starts it again with what it had on its disk. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Erlang writes a cookie into its home, so it runs as an account of its own as root, too. */
const NOBODY = 65534
/** The one in the path insists on the account of the system's own broker. */
const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server'
const CONTROL = '/usr/lib/rabbitmq/bin/rabbitmqctl'
const MEMORY = '256MiB'

/** A RabbitMQ of the test's own, which it may kill and restart. It takes seconds to start: one for all tests. */
export async function startRabbit(): Promise<RabbitServer> {
  needPrograms('rabbitmq-server')
  const program = existsSync(PROGRAM) ? PROGRAM : 'rabbitmq-server'
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-rabbitmq-'))
  for (const name of ['home', 'data', 'log']) mkdirSync(join(directory, name))
  const [port, distributionPort, mapperPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  writeFileSync(
    join(directory, 'rabbitmq.conf'),
    `listeners.tcp.1 = 127.0.0.1:${port}\nvm_memory_high_watermark.absolute = ${MEMORY}\ndisk_free_limit.absolute = 1MB\n`,
  )
  writeFileSync(join(directory, 'enabled_plugins'), '[].\n')
  const isRoot = process.getuid?.() === 0
  const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) {
    for (const name of ['', 'home', 'data', 'log']) chownSync(join(directory, name), NOBODY, NOBODY)
  }
  // Erlang's own would outlive the broker as a daemon.
  const mapper = spawn('epmd', ['-port', String(mapperPort), '-address', '127.0.0.1'], {
    stdio: 'ignore',
  })
  let server = await launch()
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    kill,
    async setBlocked(isBlocked) {
      await control(
        'set_vm_memory_high_watermark',
        ...(isBlocked ? ['0.0000001'] : ['absolute', MEMORY]),
      )
    },
    async connections() {
      const listed = await control('--quiet', 'list_connections', '--no-table-headers', 'pid')
      return listed.split('\n').filter((line) => line.trim() !== '').length
    },
    async restart() {
      await kill()
      server = await launch()
    },
    async stop() {
      await kill()
      mapper.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }

  async function kill() {
    await ended(server)
    await until(() => listenersOn(port) === 0)
  }

  /** A command to the running broker; resolves to what it says. */
  async function control(...command: string[]): Promise<string> {
    const program = existsSync(CONTROL) ? CONTROL : 'rabbitmqctl'
    const { stdout } = await promisify(execFile)(
      program,
      ['-n', `entrepot${port}@localhost`, ...command],
      {
        cwd: directory,
        ...account,
        env: env(),
      },
    )
    return stdout
  }

  function env() {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: join(directory, 'home'),
      RABBITMQ_NODENAME: `entrepot${port}@localhost`,
      RABBITMQ_CONFIG_FILE: join(directory, 'rabbitmq.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'enabled_plugins'),
      RABBITMQ_MNESIA_BASE: join(directory, 'data'),
      RABBITMQ_LOG_BASE: join(directory, 'log'),
      RABBITMQ_DIST_PORT: String(distributionPort),
      ERL_EPMD_PORT: String(mapperPort),
    }
  }

  async function launch(): Promise<ChildProcess> {
    const started = spawn(program, [], {
      cwd: directory,
      stdio: 'ignore',
      // A group of its own, which ends with the helpers of the Erlang machine.
      detached: true,
      ...account,
      // The script then becomes the Erlang machine instead of watching over it.
      env: { ...env(), RUNNING_UNDER_SYSTEMD: 'true' },
    })
    await until(
      () => {
        if (started.exitCode !== null) throw new Error(`rabbitmq ended with ${started.exitCode}`)
        return listenersOn(port) > 0
      },
      { withinMs: 120_000, what: 'rabbitmq' },
    )
    return started
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await once(child, 'exit')
}
