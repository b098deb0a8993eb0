import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRobots } from './robots.ts'

const SITE = 'https://site.example'

function allows(text: string, path: string): boolean {
  return parseRobots(Buffer.from(text)).isAllowed(new URL(path, SITE))
}

/** Text of the file, path, whether it is allowed: cases of RFC 9309 and of public parsers. */
const CASES: readonly (readonly [string, string, boolean])[] = [
  ['', '/any', true],
  ['User-agent: *\nDisallow: /', '/any', false],
  ['User-agent: *\nDisallow:', '/any', true],
  ['user-agent: ENTREPOT\ndisallow: /', '/', false],
  ['User-agent: Entrepot/2.1\nDisallow: /', '/', false],
  ['User-agent: entrepotbot\nDisallow: /', '/', true],
  ['User-agent: other\nDisallow: /', '/', true],
  ['Disallow: /\nUser-agent: *\nAllow: /', '/', true],
  // Our own group alone counts where there is one.
  ['User-agent: *\nDisallow: /\nUser-agent: entrepot\nAllow: /', '/x', true],
  ['User-agent: entrepot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b', '/b', true],
  // Several groups of one name are one; several names can share a group.
  ['User-agent: entrepot\nDisallow: /a\nUser-agent: entrepot\nDisallow: /b', '/b', false],
  ['User-agent: other\nUser-agent: entrepot\nDisallow: /a', '/a', false],
  ['User-agent: entrepot\nSitemap: /s\nUser-agent: other\nDisallow: /a', '/a', false],
  // The longest match wins, of equal ones the one that allows.
  ['User-agent: *\nAllow: /a/b\nDisallow: /a', '/a/b/c', true],
  ['User-agent: *\nAllow: /a\nDisallow: /a', '/a', true],
  ['User-agent: *\nDisallow: /a\nAllow: /a/', '/a', false],
  ['User-agent: *\nDisallow: /*.gif$', '/x/y.gif', false],
  ['User-agent: *\nDisallow: /*.gif$', '/x/y.gif?z', true],
  ['User-agent: *\nDisallow: /fish*.php', '/fishheads/catfish.php?id=1', false],
  ['User-agent: *\nDisallow: /fish*.php', '/Fish.PHP', true],
  ['User-agent: *\nDisallow: /fish/', '/fish', true],
  ['User-agent: *\nDisallow: /$\nAllow: /', '/page', true],
  ['User-agent: *\nAllow: /$\nDisallow: /', '/', true],
  ['User-agent: *\nAllow: /$\nDisallow: /', '/page.html', false],
  ['User-agent: *\nDisallow: /a*b*c$', '/a-b-b-c', false],
  ['User-agent: *\nDisallow: /a*b*c$', '/a-b-b-cd', true],
  ['User-agent: *\nDisallow: foo', '/foo', true],
  // Escapes are compared as what they stand for (RFC 9309 §2.2.2).
  ['User-agent: *\nDisallow: /foo/bar/ツ', '/foo/bar/%E3%83%84', false],
  ['User-agent: *\nDisallow: /foo/bar/%E3%83%84', '/foo/bar/ツ', false],
  ['User-agent: *\nDisallow: /foo/bar/%62%61%7A', '/foo/bar/baz', false],
  ['User-agent: *\nDisallow: /a%2Fb', '/a/b', true],
  // Comments, blanks, byte order marks and line ends of every kind.
  ['\uFEFFUser-agent: *\r\nDisallow: /a # why\r\n', '/a', false],
  ['User-agent: *\rDisallow: /a', '/a', false],
  ['  User-agent :  *  \n  Disallow :  /a  ', '/a', false],
  ['User-agent: *\nDisallow: /', '/robots.txt', true],
  ['User-agent: *\nnonsense\nDisallow: /a', '/a', false],
]

for (const [text, path, isAllowed] of CASES) {
  test(`scrapers 12: ${JSON.stringify(text)} ${isAllowed ? 'allows' : 'forbids'} ${path}`, () => {
    assert.equal(allows(text, path), isAllowed)
  })
}

test('scrapers 12: Crawl-delay is capped, sitemaps belong to no group', () => {
  const text = 'Sitemap: https://a/1.xml\nUser-agent: *\nCrawl-delay: 90\nsitemap: https://a/2.xml'
  const robots = parseRobots(Buffer.from(text))
  assert.equal(robots.crawlDelayMs, 30_000)
  assert.deepEqual(robots.sitemaps, ['https://a/1.xml', 'https://a/2.xml'])
})

test('scrapers 12: what stands after 500 KiB has no effect', () => {
  const text = `User-agent: *\n${'# filler\n'.repeat(60_000)}Disallow: /`
  assert.ok(allows(text, '/x'))
})

test('scrapers 12: of a file of more than 500 KiB the rule that is cut off has no effect', () => {
  const before = 'User-agent: *\nDisallow: /private\n'
  const rule = 'Disallow: /'
  const filler = `${'#'.repeat(500 * 1024 - before.length - rule.length - 1)}\n`
  const robots = parseRobots(Buffer.from(`${before}${filler}${rule}shop\n`))
  const isAllowed = (path: string) => robots.isAllowed(new URL(path, 'http://site.test'))
  assert.deepEqual([isAllowed('/news'), isAllowed('/private')], [true, false])
})
