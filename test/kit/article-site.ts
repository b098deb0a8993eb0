// A site of sections and articles as newspapers have them: pages of 10 to 60 KB with navigation, JSON-LD,
// OpenGraph and related links. Every page is made before the first request, so that serving costs little.
import { createServer } from 'node:http'

const [port = '0', articles = '2000'] = process.argv.slice(2)
const ARTICLES = Number(articles)
const PER_SECTION = 50
const SECTIONS = Math.ceil(ARTICLES / PER_SECTION)
const WORDS =
  'harbour crane quay cargo tide pilot ledger depot canal freight customs berth wharf keel anchor barge lock chart'.split(
    ' ',
  )

const pages = new Map<string, Buffer>([
  ['/', render({ path: '/', title: 'Front page', body: list(sections()), paragraphs: 4 })],
  ['/robots.txt', Buffer.from('User-agent: *\nDisallow: /search\n')],
])
for (const path of sections()) {
  const first = Number(path.split('/')[2]) * PER_SECTION
  const own = Array.from({ length: PER_SECTION }, (_, n) => first + n).filter((n) => n < ARTICLES)
  const body = list(own.map((n) => `/article/${n}`))
  pages.set(path, render({ path, title: `Section ${path}`, body, paragraphs: 10 }))
}
for (let n = 0; n < ARTICLES; n++) {
  const path = `/article/${n}`
  // From 10 to 60 KB, most of them short.
  const paragraphs = 8 + Math.round(90 * (((n * 7919) % 1000) / 1000) ** 2)
  pages.set(path, render({ path, title: `${word(n)} ${word(n * 3)} ${n}`, body: '', paragraphs }))
}

createServer((request, response) => {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  if (path === '/pages') return response.end(String(pages.size - 1))
  const found = pages.get(path)
  if (!found) return response.writeHead(404).end()
  response.writeHead(200, {
    'content-type': path.endsWith('.txt') ? 'text/plain' : 'text/html; charset=utf-8',
    'content-length': found.length,
  })
  response.end(found)
}).listen(Number(port), '127.0.0.1')

function sections(): string[] {
  return Array.from({ length: SECTIONS }, (_, n) => `/section/${n}`)
}

interface Page {
  readonly path: string
  readonly title: string
  readonly body: string
  readonly paragraphs: number
}

function render({ path, title, body, paragraphs }: Page): Buffer {
  const n = path.length * 31 + Number(path.split('/')[2] ?? 0)
  const ld = {
    ...{ '@context': 'https://schema.org', '@type': 'NewsArticle', headline: title },
    author: { '@type': 'Person', name: `Author ${n % 40}` },
    ...{ datePublished: '2026-03-01T10:00:00Z', image: '/images/lead.jpg', keywords: words(n, 5) },
    publisher: { '@type': 'Organization', name: 'The Harbour Gazette' },
  }
  const related = Array.from({ length: 8 }, (_, at) => `/article/${(n * 17 + at * 101) % ARTICLES}`)
  const paragraph = (at: number) =>
    `<p class="text">${words(n + at * 13, 30)}, <em>${word(n + at)}</em> ${words(n + at * 7, 28)} <a href="/article/${(n * 3 + at * 7) % ARTICLES}">${words(at, 3)}</a>.</p>`
  return Buffer.from(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} | The Harbour Gazette</title>
<meta name="viewport" content="width=device-width"><meta name="description" content="${words(n, 20)}">
<meta property="og:title" content="${title}"><meta property="og:type" content="article"><meta property="og:image" content="/images/lead.jpg">
<link rel="canonical" href="${path}"><link rel="stylesheet" href="/site.css">
<script type="application/ld+json">${JSON.stringify(ld)}</script>
<script>window.settings = ${JSON.stringify(Array.from({ length: 60 }, (_, at) => ({ name: word(at), on: at % 2 === 0 })))}</script>
<style>${'.teaser { margin: 0 auto; display: grid } '.repeat(30)}</style></head>
<body><header class="site-header"><nav class="main"><ul>${sections().slice(0, 20).map(anchor).join('')}</ul></nav>
<form action="/search"><input name="q"><button>Search</button></form></header>
<main><article><h1>${title}</h1><p class="byline">By <a rel="author" href="/section/0">Author ${n % 40}</a> <time datetime="2026-03-01T10:00:00Z">1 March</time></p>
${Array.from({ length: paragraphs }, (_, at) => paragraph(at)).join('\n')}</article>${body}</main>
<aside><h2>Related</h2><ul>${related.map(anchor).join('')}</ul></aside>
<footer><ul>${['/section/1', '/section/2', '/search?q=contact'].map(anchor).join('')}</ul><p>${words(3, 40)}</p></footer></body></html>`)
}

function list(paths: readonly string[]): string {
  const teaser = (path: string) =>
    `<div class="teaser"><h3><a href="${path}">${words(path.length, 6)}</a></h3><p>${words(path.length * 3, 18)}</p></div>`
  return `<section>${paths.map(teaser).join('\n')}</section>`
}

function anchor(path: string): string {
  return `<li class="item"><a href="${path}">${words(path.length, 3)}</a></li>`
}

function words(from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => word(from + at * 5 + at * at)).join(' ')
}

function word(n: number): string {
  return WORDS[n % WORDS.length] ?? ''
}
