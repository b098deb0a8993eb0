// Writes the types of the API that the console is compiled against, from the document the server serves.
//   npm run console:types               writes console/src/api/schema.ts
//   npm run console:types -- --check    says whether it is what the server serves now
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILE = join(ROOT, 'console/src/api/schema.ts')
const HEAD = '// Made from /api/v1/openapi.json by "npm run console:types". Not to be edited.\n'
const READY = ', ready in '

const COMPILER = new URL('./compiler-library.mjs', import.meta.url).href
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? COMPILER : name, context),
})

const made = HEAD + (await makeTypes(await askServer()))
if (!process.argv.includes('--check')) writeFileSync(FILE, made)
else if (readFileSync(FILE, 'utf8') !== made) {
  console.error('console/src/api/schema.ts is not what the server serves: npm run console:types')
  process.exit(1)
}

async function makeTypes(document: string): Promise<string> {
  const { default: openapi, astToString } = await import('openapi-typescript')
  return astToString(await openapi(document, { alphabetize: true }))
}

/** Of a server without any content type: what types add to the document differs from one to the next. */
async function askServer(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'console-types-'))
  const [port, gatewayPort] = await Promise.all([freePort(), freePort()])
  const child = spawn(process.execPath, [join(ROOT, 'bin/entrepot.mjs'), 'start'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ENTREPOT_ENV: 'test',
      ENTREPOT_DATA_DIR: dataDir,
      ENTREPOT_PORT: String(port),
      ENTREPOT_GATEWAY_PORT: String(gatewayPort),
      ENTREPOT_GATEWAY_THREADS: '1',
      ENTREPOT_STARTER: 'none',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const chunk of child.stdout) if (String(chunk).includes(READY)) break
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`)
    const document: Record<string, unknown> = Object(await answer.json())
    // The address of this start is nobody's.
    const { servers: _servers, ...described } = document
    dropExamples(described['paths'])
    return JSON.stringify(described)
  } finally {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(dataDir, { recursive: true })
  }
}

/** Types are the same whatever was recorded last: everything that stands in a `content` beside a schema goes. */
function dropExamples(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  const { content }: { content?: unknown } = node
  for (const of of Object.values(Object(content))) {
    if (typeof of === 'object' && of !== null && 'example' in of) delete of.example
  }
  for (const inner of Object.values(node)) dropExamples(inner)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
