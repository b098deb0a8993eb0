import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import {
  ADMIN_KEY,
  freePort,
  otherNode,
  runEntrepot,
  startBrowser,
  temporaryDirectory,
} from '#test-kit'
import { restSuite } from './support.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const USAGE = new URL('client-usage/usage.ts.txt', import.meta.url)
const LIMIT_BYTES = 10 * 1024

/** Runs wherever there is `fetch`, and says what it did. */
const PROGRAM = `async ({ createClient, verifyWebhook }, url, key) => {
  const client = createClient({ url, key })
  const articles = client.collection('articles')
  const stop = new AbortController()
  const events = client.events({ types: ['article.created'], signal: stop.signal })
  const first = events.next()
  await new Promise((resolve) => setTimeout(resolve, 300))
  const made = await articles.create({ title: 'Anywhere' })
  const { value } = await first
  stop.abort()
  const titles = []
  for await (const { title } of articles.all({ filters: { id: made.id } })) titles.push(title)
  const stale = await articles.update(made.id, { rank: 1 }, { since: made })
    .then(() => articles.update(made.id, { rank: 2 }, { since: made }))
    .catch(({ name, status, code }) => [name, status, code])
  const forged = await verifyWebhook({
    headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' },
    body: '{}',
  }, 'q3ZtB0eWm7Kc2Yv9Rj5Ls8Xh1Nf4Pd6A').catch(({ reason }) => reason)
  await articles.delete(made.id)
  return { titles, event: value.data.id === made.id, stale, forged }
}`
const DONE = {
  titles: ['Anywhere'],
  event: true,
  stale: ['EntrepotError', 412, 'precondition_failed'],
  forged: 'no_matching_signature',
}

export const clientRuntimes = restSuite('the packed client', ({ server }) => {
  const site = temporaryDirectory()
  const installed = join(site, 'node_modules/@entrepot/client')
  before(() => {
    const packed = temporaryDirectory()
    const words = ['pack', '--silent', '--pack-destination', packed]
    execFileSync('npm', words, { cwd: join(ROOT, 'client'), stdio: 'pipe' })
    const [archive = ''] = readdirSync(packed)
    execFileSync('tar', ['-xzf', join(packed, archive), '-C', packed])
    mkdirSync(join(site, 'node_modules/@entrepot'), { recursive: true })
    cpSync(join(packed, 'package'), installed, { recursive: true })
  })

  test('client: it is one file under 10 KB compressed, and needs no other package', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    assert.deepEqual([manifest.name, manifest.dependencies], ['@entrepot/client', undefined])
    assert.equal(
      manifest.version,
      JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
    )
    const bundle = readFileSync(join(installed, 'dist/index.js'))
    assert.ok(gzipSync(bundle, { level: 9 }).length < LIMIT_BYTES)
    assert.doesNotMatch(bundle.toString(), /\bimport\b|\brequire\b|node:/)
    assert.deepEqual(readdirSync(installed).sort(), ['README.md', 'dist', 'package.json'])
  })

  test('client: with what "entrepot types" writes down, tsc refuses what the server would', async () => {
    const written = await runEntrepot(['types', '--url', server().url], {
      ENTREPOT_CLI_KEY: ADMIN_KEY,
    })
    assert.equal(written.code, 0, written.output)
    writeFileSync(join(site, 'entrepot.d.ts'), written.output)
    writeFileSync(join(site, 'usage.ts'), readFileSync(USAGE))
    writeFileSync(join(site, 'package.json'), '{"type":"module"}')
    const strict = ['--strict', '--skipLibCheck', 'false', '--noEmit', '--types', '']
    const libraries = ['--lib', 'es2022,dom,dom.asynciterable', '--target', 'es2022']
    const modules = ['--module', 'nodenext', '--allowImportingTsExtensions']
    const tsc = spawnSync(
      join(ROOT, 'node_modules/.bin/tsc'),
      [...strict, ...libraries, ...modules, 'usage.ts'],
      { cwd: site, encoding: 'utf8' },
    )
    assert.deepEqual([tsc.status, tsc.stdout], [0, ''])
  })

  test('client: "entrepot types" says what it lacks', async () => {
    const none = await runEntrepot(['types', '--url', server().url], {})
    assert.deepEqual([none.code, /needs --key or ENTREPOT_CLI_KEY/.test(none.output)], [2, true])
    const wrong = await runEntrepot(['types', '--url', server().url, '--key', 'sk_wrong'], {})
    assert.equal(wrong.code, 1)
    assert.match(wrong.output, /refused the key.*entrepot keys issue --admin/)
  })

  test('client: it works in the Node of this machine', () => {
    const file = join(site, 'program.mjs')
    writeFileSync(
      file,
      `import * as client from '@entrepot/client'
const run = ${PROGRAM}
console.log(JSON.stringify(await run(client, ...process.argv.slice(2))))`,
    )
    const { node, options } = otherNode()
    const { stdout, stderr } = spawnSync(node, [...options, file, server().url, ADMIN_KEY], {
      encoding: 'utf8',
      cwd: site,
    })
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), DONE)
  })

  test('client: it works in a browser, on a page of another origin', async (t) => {
    const bundle = readFileSync(join(installed, 'dist/index.js'))
    const port = await freePort()
    const pages = http.createServer(({ url }, response) => {
      const isScript = url === '/client.js'
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      response.end(isScript ? bundle : '<!doctype html><link rel="icon" href="data:,">')
    })
    await new Promise<void>((resolve) => pages.listen(port, '127.0.0.1', resolve))
    t.after(() => pages.close().closeAllConnections())
    const browser = await startBrowser()
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    const text = `import('/client.js').then((client) => (${PROGRAM})(client, ${JSON.stringify(server().url)}, ${JSON.stringify(ADMIN_KEY)}))`
    assert.deepEqual(await page.evaluate(text), DONE)
    await page.close()
  })
})
