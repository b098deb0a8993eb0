// Installs what the benchmarks compare with: packages into bench/peers, nginx, Caddy, Scrapy and wrk from Debian.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const PEERS = join(import.meta.dirname, 'peers')
/** Programs and the packages of Debian that have them. */
const PROGRAMS = new Map([
  ['nginx', 'nginx'],
  ['caddy', 'caddy'],
  ['wrk', 'wrk'],
  ['scrapy', 'python3-scrapy'],
])

run('npm', ['ci', '--no-audit', '--no-fund'], PEERS)
// Its own packages ask for versions of each other that do not exist; they run all the same.
run('npm', ['ci', '--no-audit', '--no-fund', '--legacy-peer-deps'], join(PEERS, 'strapi'))
const missing = [...PROGRAMS].flatMap(([name, its]) => (isInstalled(name) ? [] : its))
if (missing.length === 0) {
  console.log('All peers are installed.')
} else if (process.getuid?.() === 0 && isInstalled('apt-get')) {
  run('apt-get', ['update', '-q'])
  run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...missing])
} else {
  const packages = missing.join(' and ')
  console.error(`Missing: ${packages}. Install them yourself, on Debian with:`)
  console.error(`  sudo apt-get install --no-install-recommends ${missing.join(' ')}`)
  process.exit(1)
}

function isInstalled(program: string): boolean {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return directories.some((directory) => existsSync(join(directory, program)))
}

function run(command: string, args: readonly string[], cwd?: string) {
  // Debian starts a server as soon as it is installed, which a benchmark must not leave behind.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const { status } = spawnSync(command, args, { stdio: 'inherit', env, ...(cwd ? { cwd } : {}) })
  if (status === 0) return
  console.error(`"${command} ${args.join(' ')}" failed`)
  process.exit(1)
}
