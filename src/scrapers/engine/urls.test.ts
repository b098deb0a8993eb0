import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGlob } from '../glob.ts'
import { createUrls } from './urls.ts'

const RULES = { stripParams: ['utm_*', 'gclid'], include: [], exclude: [] }

test('one page has one address', () => {
  const { identify } = createUrls({ ...RULES, follow: 'any' })
  const same = [
    'http://site.example/a/c?x=1&y=2',
    'HTTP://Site.EXAMPLE:80/a/b/../c?x=1&utm_source=z&y=2#part',
    'http://user:secret@site.example/%61/c?x=1&gclid=5&y=2',
  ]
  const found = same.map((url) => identify(url)?.href)
  assert.deepEqual(new Set(found), new Set(['http://site.example/a/c?x=1&y=2']))
  assert.equal(identify('http://site.example/?b=1&a=2')?.href, 'http://site.example/?b=1&a=2')
  assert.equal(identify('http://site.example/%7e%2f')?.href, 'http://site.example/~%2F')
  for (const other of ['mailto:a@b', 'javascript:0', 'nothing', `http://x/${'y'.repeat(3_000)}`]) {
    assert.equal(identify(other), undefined)
  }
})

test('the scope is by origin, host, registrable domain, or everything', () => {
  const start = new URL('https://news.shop.co.uk/')
  const urls = [
    'https://news.shop.co.uk/a',
    'http://news.shop.co.uk/',
    'https://www.shop.co.uk/',
    'https://other.co.uk/',
  ]
  const reach = (follow: 'none' | 'origin' | 'host' | 'domain' | 'any') => {
    const isInside = createUrls({ ...RULES, follow }).createScope([start])
    return urls.filter((url) => isInside(new URL(url))).length
  }
  assert.deepEqual(
    [reach('none'), reach('origin'), reach('host'), reach('domain'), reach('any')],
    [0, 1, 2, 3, 4],
  )
})

test('globs match paths or whole URLs, and nothing in them stalls', () => {
  const cases = [
    ['/blog/**', 'http://x/blog/a/b', true],
    ['/blog/*', 'http://x/blog/a/b', false],
    ['/**/end', 'http://x/a/b/end', true],
    ['/**/end', 'http://x/end', true],
    ['/{a,b}/?', 'http://x/b/1', true],
    ['/[0-9]*', 'http://x/7up', true],
    ['/[!0-9]*', 'http://x/7up', false],
    ['https://x/**', 'https://x/any', true],
    ['**/*.pdf', 'http://x/a.pdf', true],
    ['/a.b', 'http://x/aXb', false],
  ] as const
  for (const [pattern, url, expected] of cases) {
    assert.equal(createGlob(pattern)(new URL(url)), expected, `${pattern} ${url}`)
  }
  const startedMs = performance.now()
  createGlob(`/${'*a'.repeat(100)}`)(new URL(`http://x/${'a'.repeat(2_000)}b`))
  assert.ok(performance.now() - startedMs < 2_000)
})
