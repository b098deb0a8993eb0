// Installs and builds what is missing before a command runs. Plain JavaScript, because it runs on whatever
// Node the machine has; everything after it runs on the Node this project pins.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lock = join(root, 'package-lock.json')
// npm writes this file last, so an interrupted installation is noticed and repeated.
const installed = join(root, 'node_modules', '.package-lock.json')

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  console.error('Installing dependencies (once, about half a minute) ...')
  // Also under NODE_ENV=production: what a checkout is built from are development dependencies.
  const options = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const done = spawnSync('npm', ['ci', ...options], {
    cwd: root,
    // Standard output belongs to the command that runs after this, such as "npm pack --json".
    stdio: ['inherit', process.stderr, 'inherit'],
    shell: process.platform === 'win32',
  })
  if (done.status !== 0) {
    console.error('The installation failed. Run "npm ci" in this directory to see why.')
    process.exit(1)
  }
}

const { buildAll } = await import('./build.mjs')
await buildAll()
