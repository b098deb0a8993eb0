#!/usr/bin/env node
// Plain JavaScript: a TypeScript entry would load Node's type stripper, 16 MB that everything after it
// finds in the compile cache.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { useAllocator } from './allocator.mjs'
import { findCompileCache } from './compile-cache.mjs'
import { endWithNpx } from './npx-parent.mjs'
import { runByOwnNode } from './own-node.mjs'

const args = process.argv.slice(2)
endWithNpx()
process.exitCode = (await runByOwnNode(fileURLToPath(import.meta.url), args)) ?? (await run())

async function run() {
  if (args[0] === 'start') useAllocator()
  // The compile cache must be on before anything else is loaded; it saves a second of every start.
  // Threads find it in the environment, and each then needs 15 MB less.
  const cache = process.env['NODE_COMPILE_CACHE'] ?? findCompileCache()
  if (cache) {
    process.env['NODE_COMPILE_CACHE'] = cache
    module.enableCompileCache(cache)
  }
  const { isBuilt } = await import('../scripts/build.mjs')
  // Sources that have changed since they were built run as they are, which takes a second longer.
  const { runCli } = await import(isBuilt() ? '../dist/src/cli.js' : '#cli')

  // `entrepot config | head` closes the pipe early, which is no error.
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  // Data, logs, sockets and backups are nobody's but the owner's, whichever part makes the file.
  process.umask(0o077)
  const code = await runCli(args, {
    out: (text) => process.stdout.write(`${text}\n`),
    write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    err: (text) => process.stderr.write(`${text}\n`),
    ...(process.stderr.isTTY ? { progress } : {}),
    ...(process.stdin.isTTY ? { ask } : {}),
  })
  // The command is done: nothing that it left open may keep the process from ending.
  setTimeout(() => process.exit(), 5_000).unref()
  return code
}

async function ask(question) {
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/** Over the line before it; the next line of the command then starts on a clean one. */
function progress(text) {
  process.stderr.write(`\r\u001b[K${text}`)
}
