import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hop, nextHop, redirectLocation, resolveLocation } from './redirect.ts'

const POST: Hop = {
  method: 'POST',
  url: new URL('https://a.test/form'),
  headers: {
    accept: 'text/html',
    authorization: 'Bearer s',
    'content-type': 'text/plain',
    'content-language': 'en',
    cookie: 'a=1',
    'user-agent': 'Entrepot',
    'x-token': 's',
  },
  body: 'hello',
}
const GET: Hop = { ...POST, method: 'GET', body: null }

test('only the five redirect statuses with one Location are followed', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    assert.equal(redirectLocation(status, { location: '/x' }), '/x')
    assert.equal(redirectLocation(status, {}), null)
  }
  for (const status of [200, 201, 300, 304, 305, 306, 404]) {
    assert.equal(redirectLocation(status, { location: '/x' }), null)
  }
  assert.equal(redirectLocation(302, { location: ['/x', '/y'] }), null)
})

test('a Location may be relative, may carry raw UTF-8, and loses its credentials', () => {
  const base = new URL('https://a.test/dir/page?q=1')
  const resolve = (location: string) => resolveLocation(location, base)?.href
  assert.equal(resolve('next'), 'https://a.test/dir/next')
  assert.equal(resolve('/top'), 'https://a.test/top')
  assert.equal(resolve('//b.test/x'), 'https://b.test/x')
  assert.equal(resolve('?p=2'), 'https://a.test/dir/page?p=2')
  assert.equal(resolve('http://user:secret@b.test/'), 'http://b.test/')
  const raw = Buffer.from('/größe').toString('latin1')
  assert.equal(resolve(raw), 'https://a.test/gr%C3%B6%C3%9Fe')
  assert.equal(resolve('http://[broken'), undefined)
})

test('301, 302 and 303 turn a POST into a GET without its body', () => {
  for (const status of [301, 302, 303]) {
    const next = nextHop(POST, status, new URL('https://a.test/done'))
    assert.equal(next.method, 'GET')
    assert.equal(next.body, null)
    assert.equal(next.headers['content-type'], undefined)
    assert.equal(next.headers['content-language'], undefined)
    assert.equal(next.headers['authorization'], 'Bearer s')
  }
})

test('307 and 308 repeat method and body', () => {
  for (const status of [307, 308]) {
    const next = nextHop(POST, status, new URL('https://a.test/done'))
    assert.deepEqual(next, { ...POST, url: next.url })
  }
})

test('GET and HEAD stay what they are', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const url = new URL('https://a.test/done')
    assert.equal(nextHop(GET, status, url).method, 'GET')
    assert.equal(nextHop({ ...GET, method: 'HEAD' }, status, url).method, 'HEAD')
  }
})

test('another scheme, host or port receives nothing that could be a credential', () => {
  for (const url of ['http://a.test/', 'https://b.test/', 'https://a.test:8443/']) {
    const next = nextHop(POST, 307, new URL(url))
    assert.deepEqual(next.headers, {
      accept: 'text/html',
      'content-type': 'text/plain',
      'user-agent': 'Entrepot',
    })
    const back = nextHop(next, 307, new URL('https://a.test/'))
    assert.equal(back.headers['authorization'], undefined, 'not restored on the way back')
  }
})
