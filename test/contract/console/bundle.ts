import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConsoleServer } from './support.ts'

/** Compressed, all that is fetched before the first screen can be asked for. */
const FIRST_LOAD_BYTES = 250_000

export function bundle({ server, visit }: ConsoleServer): void {
  test('console 14: the first load is at most 250 KB compressed, kept for good, and runs only its own scripts', async () => {
    const page = await fetch(`${server().url}/console/any/screen`)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /script-src 'self'(;|$)/)
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe|https?:/)
    const html = await page.text()
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|\son\w+=/)
    const assets = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    assert.ok(assets.length > 1)
    let bytes = 0
    for (const path of assets) {
      const headers = { 'accept-encoding': 'br' }
      const answer = await fetch(`${server().url}${path}`, { method: 'HEAD', headers })
      assert.equal(answer.headers.get('content-encoding'), 'br', path)
      assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
      bytes += Number(answer.headers.get('content-length'))
    }
    assert.ok(bytes > 0 && bytes <= FIRST_LOAD_BYTES, `${bytes} bytes`)
    for (const path of ['/console/assets/..%2fbuilt-from', `${assets[0]}.br`]) {
      const headers = { 'accept-encoding': 'br' }
      const unknown = await fetch(`${server().url}${path}`, { headers })
      assert.equal(unknown.status, 404, path)
    }
  })

  test('console 14: whoever is signed out is asked to sign in; the landing page leads there', async () => {
    const { page, complaints } = await visit('/content')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    assert.match(await (await fetch(server().url)).text(), /href="\/console\/"/)
    const cookie = 'entrepot_signin=anything'
    const back = await fetch(server().url, { headers: { cookie }, redirect: 'manual' })
    assert.deepEqual([back.status, back.headers.get('location')], [302, '/console/'])
    assert.deepEqual(complaints, [])
  })
}
