import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFeed } from './feed.ts'

const urlsOf = (text: string) =>
  readFeed(text, 'http://site.test/feed').entries.map(({ url }) => url)

test('scrapers 16: addresses of a feed are relative to the xml:base around them', () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://blog.test/2026/">
    <entry><link href="a"/></entry>
    <entry xml:base="march/"><link href="b"/></entry>
    <entry xml:base="/top/"><link rel="alternate" href="c" xml:base="deep/"/></entry>
    <entry><link href="http://other.test/d"/></entry></feed>`
  assert.deepEqual(urlsOf(atom), [
    'http://blog.test/2026/a',
    'http://blog.test/2026/march/b',
    'http://blog.test/top/deep/c',
    'http://other.test/d',
  ])
  const rss = `<rss xml:base="http://blog.test/"><channel><item><link>e</link></item>
    <item xml:base="deep/"><guid>f</guid></item></channel></rss>`
  assert.deepEqual(urlsOf(rss), ['http://blog.test/e', 'http://blog.test/deep/f'])
  assert.deepEqual(urlsOf('<feed><entry><link href="/g"/></entry></feed>'), ['http://site.test/g'])
})
