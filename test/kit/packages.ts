import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs that tests run, each with the Debian package it comes with. */
const PACKAGES = {
  caddy: 'caddy',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  h2load: 'nghttp2-client',
  nginx: 'nginx-light',
  openssl: 'openssl',
  php: 'php-cli',
  python3: 'python3',
  'rabbitmq-server': 'rabbitmq-server',
  'redis-server': 'redis-server',
  'systemd-analyze': 'systemd',
}

export type Program = keyof typeof PACKAGES

/** A registry may be away for a moment. */
const TRIES = 3

/** Installs what is missing if we may; says what to do otherwise. */
export function needPrograms(...programs: readonly Program[]): void {
  installMissing(programs)
  const absent = missing(programs)
  if (absent.length === 0) return
  console.error(
    `The tests need ${absent.join(', ')}. Install ${absent.length > 1 ? 'them' : 'it'}, on Debian: apt-get install ${packagesOf(absent)}`,
  )
  process.exit(1)
}

/** Before a whole run, so that nothing is installed beside a test that watches the clock; a file says itself what it lacks. */
export function installAllPrograms(): void {
  installMissing(Object.keys(PACKAGES) as Program[])
}

function installMissing(programs: readonly Program[]): void {
  for (let tries = 0; tries < TRIES && missing(programs).length > 0 && mayInstall(); tries++) {
    install(programs)
  }
}

/**
 * One after the other: test files run beside each other, and a second apt-get does not wait for a first
 * one but fails, as does its `update` while another's lists are written.
 */
function install(programs: readonly Program[]): void {
  const packages = packagesOf(missing(programs))
  console.log(`Installing ${packages} ...`)
  const script = `apt-get update -q; apt-get install -qy --no-install-recommends -o DPkg::Lock::Timeout=300 ${packages}`
  const lock = join(tmpdir(), 'entrepot-test-packages.lock')
  const { status, stdout, stderr, error } = spawnSync('flock', [lock, 'sh', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status !== 0) console.error(error?.message ?? `${stdout}${stderr}`.slice(-2000))
}

function missing(programs: readonly Program[]): Program[] {
  return programs.filter((program) => spawnSync('which', [program]).status !== 0)
}

function packagesOf(programs: readonly Program[]): string {
  return programs.map((program) => PACKAGES[program]).join(' ')
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync('which', ['apt-get']).status === 0
}
