// Puts the console into dist/console, compressed, as long as it is not what the sources are (decision 155).
// Plain JavaScript: it runs on whatever Node the machine has.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { withoutIndexes } from './console-barrels.mjs'

const SCRIPTS = dirname(fileURLToPath(import.meta.url))
/** Files of an earlier build stay for a while: a page that is open may still load a screen of it. */
const KEEP_MS = 24 * 60 * 60_000
/** Where the development page names its script, the built one names what was built. */
const SCRIPT = '<script type="module" src="/src/main.tsx"></script>'
/** Two thirds of the best level's gain at a tenth of its time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

export function isConsoleBuilt(root) {
  try {
    return readFileSync(stampOf(root), 'utf8') === describeSources(root)
  } catch {
    return false
  }
}

/** Nothing where there are no sources, as in the package of npm, which ships it built. */
export async function buildConsoleIfStale(root) {
  if (!existsSync(join(root, 'console')) || isConsoleBuilt(root)) return
  const builtFrom = describeSources(root)
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build(options(root))
  rmSync(stampOf(root), { force: true })
  for (const { path, contents } of outputFiles) putCompressed(path, contents)
  putCompressed(join(root, 'dist/console/index.html'), pageOf(root, metafile))
  removeOld(join(root, 'dist/console/assets'), outputFiles)
  put(stampOf(root), builtFrom)
}

function options(root) {
  return {
    absWorkingDir: root,
    entryPoints: { main: 'console/src/main.tsx' },
    outdir: 'dist/console/assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    minify: true,
    metafile: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutIndexes(root)],
    write: false,
    logLevel: 'error',
  }
}

/** The page of `npm run console` with the names of what was built; the shell is fetched at once. */
function pageOf(root, { outputs }) {
  const [path, main] = Object.entries(outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('main.tsx'),
  )
  const assets = (name) => `/console/assets/${basename(name)}`
  const preloads = main.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${assets(path)}">`)
  const tags = [
    `<link rel="stylesheet" href="${assets(main.cssBundle)}">`,
    ...preloads,
    `<script type="module" src="${assets(path)}"></script>`,
  ]
  const page = readFileSync(join(root, 'console/index.html'), 'utf8')
  if (!page.includes(SCRIPT)) throw new Error(`console/index.html does not have ${SCRIPT}`)
  return Buffer.from(page.replace(SCRIPT, tags.join('\n    ')))
}

function putCompressed(path, contents) {
  put(path, contents)
  put(`${path}.br`, brotliCompressSync(contents, BROTLI))
  put(`${path}.gz`, gzipSync(contents))
}

/** Whole or not at all: a server may be reading it. */
function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}

function removeOld(directory, outputFiles) {
  const current = new Set(outputFiles.map(({ path }) => path))
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (current.has(path.replace(/\.(br|gz)$/, ''))) continue
    if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path)
  }
}

function stampOf(root) {
  return join(root, 'dist/console/built-from')
}

/** Changes whenever a file of the console or a version of a package does. */
function describeSources(root) {
  const files = readdirSync(join(root, 'console'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
  const scripts = ['build-console.mjs', 'console-barrels.mjs'].map((name) => join(SCRIPTS, name))
  const around = [join(root, 'package-lock.json'), ...scripts]
  const described = [...files.sort(), ...around].map((path) => {
    const { size, mtimeMs } = statSync(path)
    return `${relative(root, path)} ${size} ${mtimeMs}`
  })
  return described.join('\n')
}
