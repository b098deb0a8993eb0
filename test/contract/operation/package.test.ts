import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import {
  ADMIN_KEY,
  createCalls,
  freePort,
  machinePath,
  otherNode,
  temporaryDirectory,
  until,
} from '#test-kit'
import { findCompileCache } from '../../../bin/compile-cache.mjs'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const INSTALLED_LIMIT = 150 * 1024 * 1024
const START = ['--no', 'entrepot', 'start']
const DATA_OF_ITS_OWN = ['data', 'node_modules', 'package-lock.json', 'package.json']

describe('the package that npm pack makes', () => {
  const site = temporaryDirectory()
  const home = temporaryDirectory()
  // Nothing of what `npm test` sets reaches the operator's npm, but where it finds its packages.
  const env = { PATH: machinePath(), HOME: process.env['HOME'] ?? '' }
  before(() => {
    const packed = temporaryDirectory()
    npm(['pack', '--silent', '--pack-destination', packed], ROOT)
    const [archive = ''] = readdirSync(packed)
    writeFileSync(join(site, 'package.json'), '{"private":true}')
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    npm(['install', ...quietly, join(packed, archive)], site)
  })

  test('operation: npx starts it in an empty directory, with its pages, scripts and data, until SIGTERM', async (t) => {
    const [port, gatewayPort] = [await freePort(), await freePort()]
    const npx = spawn('npx', START, {
      cwd: site,
      env: {
        ...env,
        ENTREPOT_PORT: String(port),
        ENTREPOT_GATEWAY_PORT: String(gatewayPort),
        ENTREPOT_GATEWAY_THREADS: '1',
        ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      },
    })
    t.after(() => npx.kill('SIGKILL'))
    const printed = listen(npx)
    await until(async () => printed().includes(', ready in ') || undefined, {
      withinMs: 60_000,
      what: 'npx entrepot start',
    }).catch((error: Error) => assert.fail(`${error.message}: ${printed()}`))
    const pid = Number(readFileSync(join(site, 'data', 'entrepot.pid'), 'utf8'))
    t.after(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))

    const { ok, call } = createCalls(() => `http://127.0.0.1:${port}`)
    assert.equal((await call('GET', '/ready')).status, 200)
    const created = await ok('POST', '/api/v1/articles', { body: { title: 'From a package' } })
    assert.ok(created.data?.id ?? created.id, JSON.stringify(created))
    await assertPicturesWork(`http://127.0.0.1:${port}`)
    await assertPageWorks(`http://127.0.0.1:${port}/docs`)
    const { paths } = await ok('GET', '/api/v1/openapi.json')
    assert.ok(paths['/api/v1/me'].get.responses[200].content['application/json'].example)
    await assertPageWorks(`http://127.0.0.1:${port}/graphql`)
    await assertPageWorks(`http://127.0.0.1:${port}/usage`)
    await assertPageWorks(`http://127.0.0.1:${port}/console/`)
    const teapot = { 'serverless-pre-function': { functions: ['() => 418'] } }
    const route = { uri: '/tea', plugins: teapot, upstream_id: 'entrepot' }
    await ok('PUT', '/gateway/admin/routes/tea', { body: route })
    assert.equal((await fetch(`http://127.0.0.1:${gatewayPort}/tea`)).status, 418)

    npx.kill('SIGTERM')
    await until(async () => !isAlive(pid) || undefined, { withinMs: 15_000, what: 'its end' })
    assert.ok(!existsSync(join(site, 'data', 'entrepot.pid')), 'it ended in order')
    assert.deepEqual(readdirSync(site).sort(), DATA_OF_ITS_OWN)
  })

  test('operation: called by an older Node it runs by the one that came with it', () => {
    const { node, options } = otherNode()
    const program = join(site, 'node_modules/entrepot/bin/entrepot.mjs')
    const { status, stdout, stderr } = spawnSync(node, [...options, program, 'version'], {
      encoding: 'utf8',
      env,
    })
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^\d+\.\d+\.\d+/)
  })

  test('operation: it takes less than 150 MB beside its Node, and brings no sources or tools', () => {
    const modules = join(site, 'node_modules')
    const bytes = sizeOf(modules) - sizeOf(join(modules, 'node'))
    assert.ok(bytes < INSTALLED_LIMIT, `${Math.round(bytes / 1024 / 1024)} MB`)
    const contents = readdirSync(join(modules, 'entrepot'))
    for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'bin', 'dist']) {
      assert.ok(contents.includes(name), name)
    }
    for (const name of ['src', 'test', 'bench', 'migrations']) {
      assert.ok(!contents.includes(name), name)
    }
    for (const name of ['esbuild', 'typescript', 'fastify', 'kysely']) {
      assert.ok(!existsSync(join(modules, name)), name)
    }
  })

  test('operation: without its Node an older one says how to get it', () => {
    const lonely = join(temporaryDirectory(), 'node_modules/entrepot')
    mkdirSync(lonely, { recursive: true })
    for (const name of ['bin', 'package.json']) {
      execFileSync('cp', ['-r', join(site, 'node_modules/entrepot', name), lonely])
    }
    const { node, options } = otherNode()
    const program = join(lonely, 'bin/entrepot.mjs')
    const { status, stderr } = spawnSync(node, [...options, program, 'version'], {
      encoding: 'utf8',
      env,
    })
    assert.equal(status, 1)
    assert.match(stderr, /Node 26\.\S+ is needed .* npm install --ignore-scripts=false entrepot/)
  })

  test('operation: where its directory cannot be written, compiled code goes to the cache of the caller, or nowhere', () => {
    // Below a file nobody can make a directory, not even root.
    const file = join(home, 'file')
    writeFileSync(file, '')
    const foreign = join(file, 'entrepot')
    const own = join(home, '.cache/entrepot/compiled')
    assert.equal(findCompileCache(foreign, { HOME: home }), own)
    assert.equal(lstatSync(own).mode & 0o777, 0o700)
    const elsewhere = join(home, 'elsewhere')
    const given = { HOME: home, XDG_CACHE_HOME: elsewhere }
    assert.equal(findCompileCache(foreign, given), join(elsewhere, 'entrepot/compiled'))
    assert.equal(findCompileCache(foreign, { HOME: file }), undefined)
    assert.equal(findCompileCache(home, {}), join(home, 'node_modules/.cache/compiled'))
  })

  function npm(args: readonly string[], cwd: string): void {
    const { status, stderr } = spawnSync('npm', args, { cwd, env, encoding: 'utf8' })
    assert.equal(status, 0, `npm ${args.join(' ')}: ${stderr}`)
  }
})

/** The page and every script and style it names come from this server. */
/** The program that reads pictures comes with the package. */
async function assertPicturesWork(url: string): Promise<void> {
  const { ok } = createCalls(() => url)
  const picture = sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(await picture.png().toBuffer())]), 'teal.png')
  const { data } = await ok('POST', '/api/v1/media', { form })
  const path = `/api/v1/media/${data.id}`
  await until(async () => (await ok('GET', path)).data.formats?.thumbnail, { what: 'formats' })
}

async function assertPageWorks(url: string): Promise<void> {
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  assert.equal(page.status, 200, url)
  const assets = [...(await page.text()).matchAll(/<(?:script|link)[^>]+(?:src|href)="(\/[^"]+)"/g)]
  assert.ok(assets.length > 0, url)
  for (const [, path = ''] of assets) {
    const asset = await fetch(new URL(path, url))
    assert.equal(asset.status, 200, path)
    assert.ok((await asset.arrayBuffer()).byteLength > 0, path)
  }
}

/** What the files of a directory take, each once, whatever number of names it has. */
function sizeOf(directory: string, seen = new Set<number>()): number {
  return readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return sum + sizeOf(path, seen)
    const { ino, size } = lstatSync(path)
    if (seen.has(ino)) return sum
    seen.add(ino)
    return sum + size
  }, 0)
}

function listen(child: ChildProcess): () => string {
  let seen = ''
  child.stdout?.on('data', (chunk) => {
    seen += chunk
  })
  child.stderr?.on('data', (chunk) => {
    seen += chunk
  })
  return () => seen
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
