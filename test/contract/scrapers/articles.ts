import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '#test-kit'
import { ARTICLE_PAGES, FRAME, TEXT_ENDS } from './article-pages.ts'
import { LABELS } from './held-out/labels.ts'
import { LABELLED_PAGES } from './labelled-pages.ts'
import { html } from './site.ts'
import { scraperSuite } from './support.ts'

const READER = readFileSync(
  fileURLToPath(import.meta.resolve('@mozilla/readability/Readability.js')),
  'utf8',
)

/** The reader view of a browser, over the document of a browser. Of several authors ours is the first. */
const READ = `(() => {
  const read = new Readability(document.cloneNode(true)).parse()
  return { title: read.title, author: read.byline?.split(', ')[0] ?? null, language: read.lang, excerpt: read.excerpt }
})()`

export const articles = scraperSuite('articles', (api) => {
  test('scrapers 16: title, author, language and excerpt are those that another reader finds', async () => {
    const site = api.site()
    for (const [index, { html: text }] of ARTICLE_PAGES.entries()) {
      site.on(`/article/${index}`, (_, response) => html(response, text))
    }
    const [url, ...start_urls] = ARTICLE_PAGES.map((_, index) => `${site.url}/article/${index}`)
    const run = await api.crawl({ url, start_urls, crawl: { follow: 'none' } })
    assert.equal(run.items_collected, ARTICLE_PAGES.length)
    const items: { url: string; data: Record<string, string | null> }[] = await api.results(
      run.scraper_id,
    )
    const readerView = await openReaderView()
    for (const [index, { layout, told }] of ARTICLE_PAGES.entries()) {
      const address = `${site.url}/article/${index}`
      const data = items.find((item) => item.url === address)?.data ?? {}
      const { title, author, language, excerpt, text } = data
      assert.deepEqual({ title, author, language, excerpt }, told, layout)
      for (const part of TEXT_ENDS) assert.ok(text?.includes(part), layout)
      assert.doesNotMatch(text ?? '', FRAME, layout)
      assert.deepEqual({ title, author, language, excerpt }, await readerView(address), layout)
    }
  })

  test('scrapers 16: titles, authors, dates and texts are what a person says of the page', async () => {
    const site = api.site()
    site.reset()
    for (const [index, { html: text }] of LABELLED_PAGES.entries()) {
      site.on(`/labelled/${index}`, (_, response) => html(response, text))
    }
    const [url, ...start_urls] = LABELLED_PAGES.map((_, index) => `${site.url}/labelled/${index}`)
    const run = await api.crawl({ url, start_urls, crawl: { follow: 'none' } })
    const items: { url: string; data: Record<string, string | null> }[] = await api.results(
      run.scraper_id,
    )
    for (const [index, { layout, text, ...told }] of LABELLED_PAGES.entries()) {
      const item = items.find(({ url }) => url === `${site.url}/labelled/${index}`)
      const { title, author, language, published_at: at } = item?.data ?? {}
      const published = at?.slice(0, 10) ?? null
      const { html: _, ...facts } = told
      assert.deepEqual({ title, author, language, published }, facts, layout)
      const read = item?.data['text']?.split(/\n+/) ?? []
      assert.deepEqual(
        read.filter((line) => line !== told.title),
        text,
        layout,
      )
    }
  })

  test('scrapers 16: of pages that the extraction was not made with as much is right as before', async (t) => {
    const site = api.site()
    site.reset()
    for (const { page } of LABELS) {
      const text = readFileSync(new URL(`./held-out/${page}.html`, import.meta.url), 'utf8')
      site.on(`/held-out/${page}`, (_, response) => html(response, text))
    }
    const [url, ...start_urls] = LABELS.map(({ page }) => `${site.url}/held-out/${page}`)
    const run = await api.crawl({ url, start_urls, crawl: { follow: 'none' } })
    const items: { url: string; data: Record<string, string | null> }[] = await api.results(
      run.scraper_id,
    )
    const readerView = await openReaderView()
    const ours = createScore()
    const readers = createScore()
    for (const { page, text, ...label } of LABELS) {
      const address = `${site.url}/held-out/${page}`
      const data = items.find((item) => item.url === address)?.data ?? {}
      const { title = null, author = null, language = null } = data
      const published = data['published_at']?.slice(0, 10) ?? null
      const lines = (data['text'] ?? '').split(/\n+/).filter((line) => line !== label.title)
      const wrong = ours.add({ title, author, language, published }, label)
      const agreed = ours.addText(agreement(lines, text))
      t.diagnostic(`${page}: text ${agreed.toFixed(2)}${wrong.map((each) => `; ${each}`).join('')}`)
      readers.add({ published: null, ...(await readerView(address)) }, label)
    }
    t.diagnostic(`right of ${LABELS.length}: ${JSON.stringify(ours.right)}`)
    t.diagnostic(`the other reader: ${JSON.stringify(readers.right)}`)
    t.diagnostic(`text: ${ours.text().toFixed(3)}`)
    for (const fact of FACTS) assert.ok(ours.right[fact] >= RIGHT[fact], fact)
    assert.ok(ours.text() >= RIGHT.text, `text: ${ours.text()}`)
  })
})

const FACTS = ['title', 'author', 'language', 'published'] as const
type Facts = { readonly [Fact in (typeof FACTS)[number]]: string | null }

/** What was right when these pages were first read. The extraction may become better, never by looking at them. */
const RIGHT = { title: 6, author: 6, language: 10, published: 8, text: 0.8 }

function createScore() {
  const right = { title: 0, author: 0, language: 0, published: 0 }
  const texts: number[] = []
  return {
    right,
    add,
    addText,
    text: () => texts.reduce((sum, each) => sum + each, 0) / texts.length,
  }

  /** Answers what is wrong. */
  function add(found: Facts, label: Facts): string[] {
    return FACTS.flatMap((fact) => {
      if (found[fact] !== label[fact]) return `${fact} is ${found[fact]}, not ${label[fact]}`
      right[fact]++
      return []
    })
  }

  function addText(agreed: number): number {
    texts.push(agreed)
    return agreed
  }
}

/** The lines that both have, as a share of the lines of both (F1). */
function agreement(found: readonly string[], told: readonly string[]): number {
  const left = [...found]
  const both = told.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
  return (2 * both.length) / (found.length + told.length)
}

/** Reads pages with the reader view of a browser. */
async function openReaderView() {
  const browser = await startBrowser()
  const tab = await browser.newPage()
  return async (address: string) => {
    await tab.goto(address)
    await tab.addScriptTag({ content: READER })
    const read: Omit<Facts, 'published'> & { excerpt: string | null } = await tab.evaluate(READ)
    return read
  }
}
