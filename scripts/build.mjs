// Puts the server into a few files of JavaScript in dist/, where bin/entrepot.mjs finds them as long as
// they are what the sources are (docs/decisions/0012). Plain JavaScript: it runs on whatever Node the
// machine has.
//   node scripts/build.mjs   builds when something has changed
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Doors of package.json that are entries of threads and processes. */
const THREADS = [
  '#worker-thread',
  '#crawler-thread',
  '#content-pictures-process',
  '#scrapers-preview-thread',
  '#gateway-thread',
  '#gateway-script-thread',
  '#sqlite-thread',
  '#docs-thread',
  '#yaml-thread',
]
/** Files of an earlier build stay for a while: a server that still runs may load some of them later. */
const KEEP_MS = 60 * 60_000
/** Packages of CommonJS that are bundled ask for Node's own modules by `require`. */
const REQUIRE = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)`

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll()

/** Whether dist/ is what the sources are now; the package of npm has no sources, only dist/. */
export function isBuilt(root = PROJECT) {
  if (!existsSync(join(root, 'src'))) return existsSync(stampOf(root))
  try {
    return readFileSync(stampOf(root), 'utf8') === describeSources(root)
  } catch {
    return false
  }
}

/** The server and its console. Only the server decides whether the program runs from dist/. */
export async function buildAll(root = PROJECT) {
  const { buildConsoleIfStale } = await import('./build-console.mjs')
  await Promise.all([buildIfStale(root), buildConsoleIfStale(root)])
}

export async function buildIfStale(root = PROJECT) {
  if (isBuilt(root)) return
  const builtFrom = describeSources(root)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { build } = await import('esbuild')
  const { outputFiles } = await build(options(root, manifest))
  rmSync(stampOf(root), { force: true })
  for (const { path, contents } of outputFiles) put(path, contents)
  put(join(root, 'dist/package.json'), packageOf(manifest))
  const examples = 'src/recorded-examples'
  cpSync(join(root, examples), join(root, 'dist', examples), { recursive: true })
  removeOld(join(root, 'dist/src'), new Set(outputFiles.map(({ path }) => path)))
  put(stampOf(root), builtFrom)
}

/**
 * All code lies in dist/src, so what a file directly in src/ finds by a relative path is at the same
 * place here. Names are kept and lines are lines: a stack trace can be read.
 */
function options(root, { imports }) {
  const threads = THREADS.map((door) => [`src/${door.slice(1)}`, imports[door]])
  const migrations = readdirSync(join(root, 'migrations')).map((file) => [
    `migrations/${basename(file, '.ts')}`,
    `./migrations/${file}`,
  ])
  return {
    absWorkingDir: root,
    entryPoints: Object.fromEntries([['src/cli', imports['#cli']], ...threads, ...migrations]),
    outdir: 'dist',
    chunkNames: 'src/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    banner: { js: REQUIRE },
    // Large, or with files of their own; pg asks for the last only where it is installed.
    external: [
      '@graphql-yoga/render-graphiql',
      '@scalar/fastify-api-reference',
      'playwright-core',
      'sharp',
      'pg-native',
    ],
    write: false,
    logLevel: 'error',
  }
}

/** What is built finds its threads by the same names. */
function packageOf({ version }) {
  const doors = THREADS.map((door) => [door, `./src/${door.slice(1)}.js`])
  return JSON.stringify({ version, type: 'module', imports: Object.fromEntries(doors) }, null, 2)
}

/** Whole or not at all: another process may be reading it. */
function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}

function removeOld(directory, current) {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (current.has(path) || !name.endsWith('.js')) continue
    if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path)
  }
}

function stampOf(root) {
  return join(root, 'dist/built-from')
}

/** Changes whenever a file of the server does. Every start asks, so paths are put together by hand. */
function describeSources(root) {
  const files = ['src', 'migrations'].flatMap((folder) => filesIn(root, folder)).sort()
  const described = [...files, 'package.json'].map((file) => describe(file, `${root}/${file}`))
  return [...described, describe('build', fileURLToPath(import.meta.url))].join('\n')
}

function describe(name, path) {
  const { size, mtimeMs } = statSync(path)
  return `${name} ${size} ${mtimeMs}`
}

function filesIn(root, folder) {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesIn(root, path)
    return entry.isFile() && !path.endsWith('.test.ts') ? [path] : []
  })
}
