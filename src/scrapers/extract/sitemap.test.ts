import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSitemap } from './sitemap.ts'

const read = (text: string) => readSitemap(text, 'http://site.test/')

test('scrapers 15: of a sitemap its own addresses are read, with prefix, CDATA and entities', () => {
  const picture = '<image:image><image:loc>http://site.test/picture</image:loc></image:image>'
  const first = `<s:url><s:loc><![CDATA[ http://site.test/a?b&c ]]></s:loc>${picture}</s:url>`
  const second = '<!-- <s:url><s:loc>http://site.test/no</s:loc></s:url> --><s:url><s:loc>'
  const { pages, sitemaps, notes } = read(
    `<?xml version="1.0"?><s:urlset xmlns:s="x">${first}${second}http://site.test/d&amp;e</s:loc></s:url></s:urlset>`,
  )
  assert.deepEqual(pages, ['http://site.test/a?b&c', 'http://site.test/d&e'])
  assert.deepEqual([sitemaps, notes], [[], []])
})

test('scrapers 15: relative addresses of a sitemap are its own, lines of a text are none', () => {
  const index = '<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>'
  assert.deepEqual(read(index).sitemaps, ['http://site.test/s.xml'])
  const list =
    '<urlset><url><loc> a?b </loc></url><url><loc/></url><url><loc>mailto:a</loc></url></urlset>'
  assert.deepEqual(read(list).pages, ['http://site.test/a?b'])
  const lines = 'http://site.test/a\rhttp://site.test/b\r\n\n/c\nhttp://site.test/d'
  const named = ['a', 'b', 'd'].map((name) => `http://site.test/${name}`)
  assert.deepEqual(read(lines).pages, named)
})

test('scrapers 15: a feed is a sitemap of its entries; a page instead of a sitemap is told', () => {
  const item = '<item><link>http://site.test/a</link></item>'
  assert.deepEqual(read(`<rss><channel>${item}</channel></rss>`).pages, ['http://site.test/a'])
  const { pages, notes } = read('<!doctype html><title>We are back soon</title>')
  assert.deepEqual(pages, [])
  assert.match(String(notes), /no sitemap/)
  assert.deepEqual([read('').notes, read('<urlset></urlset>').notes], [[], []])
})

test('scrapers 15: an index names sitemaps', () => {
  const index = read(
    '<sitemapindex><sitemap><loc>http://site.test/s</loc></sitemap></sitemapindex>',
  )
  assert.deepEqual(index, { pages: [], sitemaps: ['http://site.test/s'], notes: [] })
})

test('scrapers 15: half an address at the end of a sitemap is none', () => {
  const { pages, notes } = read(
    '<urlset><url><loc>http://site.test/a</loc></url><url><loc>http://site.test/hal',
  )
  assert.deepEqual(pages, ['http://site.test/a'])
  assert.match(String(notes), /breaks off/)
})

test('scrapers 15: what nests too deep in a sitemap is not read, whatever its length', () => {
  const { pages, notes } = read(`<urlset>${'<a>'.repeat(1_000_000)}`)
  assert.deepEqual(pages, [])
  assert.match(String(notes), /too many tags/)
})

test('scrapers 15: of a sitemap, and of a plain list, 50,000 addresses are read', () => {
  const tag = '<url><loc>http://site.test/a</loc></url>'
  const line = 'http://site.test/a\n'
  for (const [text, isTold] of [
    [`<urlset>${tag.repeat(50_000)}</urlset>`, false],
    [`<urlset>${tag.repeat(50_001)}</urlset>`, true],
    [line.repeat(50_000), false],
    [line.repeat(50_001), true],
  ] as const) {
    const { pages, notes } = read(text)
    assert.deepEqual([pages.length, notes.length > 0], [50_000, isTold])
  }
})
