// Makes what the package @entrepot/client holds: one small file of JavaScript and its types, in client/dist.
//   node scripts/build-client.mjs [directory]
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..')

const outdir = process.argv[2] ?? join(PROJECT, 'client/dist')
await buildClient()

async function buildClient() {
  rmSync(outdir, { recursive: true, force: true })
  await build({
    entryPoints: [join(PROJECT, 'client/src/index.ts')],
    outfile: join(outdir, 'index.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    // What no runtime has by itself would have to be installed beside it.
    platform: 'neutral',
    // All browsers of the last years, and Node 20.
    target: 'es2022',
    logLevel: 'error',
  })
  const tsc = join(PROJECT, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', join(PROJECT, 'client'), '--outDir', outdir], { stdio: 'inherit' })
  for (const name of readdirSync(outdir).filter((each) => each.endsWith('.d.ts'))) {
    const path = join(outdir, name)
    // Older compilers look for no types beside a name that ends in .ts.
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/(?<=['"]\.\/[\w-]+)\.ts(?=['"])/g, '.js'),
    )
  }
}
