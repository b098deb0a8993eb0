// Entrepot runs on the Node that npm installed with it (docs/decisions/0001). Whoever calls the program
// by another Node, which may be too old for it, is served by that one too. Only what Node 20 understands.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR } from './allocator.mjs'

const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT']

/**
 * Runs the program by its own Node when this one is older, and resolves with the exit code; undefined when
 * this Node will do.
 */
export async function runByOwnNode(program, args) {
  const project = join(dirname(fileURLToPath(import.meta.url)), '..')
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  if (majorOf(process.versions.node) >= majorOf(dependencies.node)) return undefined
  const own = findOwnNode()
  if (own === undefined) {
    console.error(
      `entrepot: Node ${dependencies.node} is needed and not installed; this is ${process.versions.node}. ${howToInstall(project)}`,
    )
    return 1
  }
  return run(own, [program, ...args])
}

/** The binary comes by the install script of the package `node`, which npm can be told to leave out. */
function howToInstall(project) {
  if (existsSync(join(project, 'src'))) return `Run "npm ci" in ${project}.`
  return 'Install entrepot again with install scripts allowed: npm install --ignore-scripts=false entrepot'
}

function majorOf(version) {
  return Number(version.split('.')[0])
}

function findOwnNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json')
    const binary = join(
      dirname(manifest),
      'bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    )
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

function run(node, args) {
  const child = spawn(node, args, { stdio: 'inherit', env: { ...ALLOCATOR, ...process.env } })
  for (const signal of PASSED_ON) {
    process.on(signal, () => {
      // Ctrl-C reaches every process of the terminal: passed on, it would be a second one.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
