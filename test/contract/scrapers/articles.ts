import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startBrowser } from '#test-kit'
import { ARTICLE_PAGES, FRAME, TEXT_ENDS } from './article-pages.ts'
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
    const browser = await startBrowser()
    const tab = await browser.newPage()
    for (const [index, { layout, told }] of ARTICLE_PAGES.entries()) {
      const address = `${site.url}/article/${index}`
      const data = items.find((item) => item.url === address)?.data ?? {}
      const { title, author, language, excerpt, text } = data
      assert.deepEqual({ title, author, language, excerpt }, told, layout)
      for (const part of TEXT_ENDS) assert.ok(text?.includes(part), layout)
      assert.doesNotMatch(text ?? '', FRAME, layout)
      await tab.goto(address)
      await tab.addScriptTag({ content: READER })
      const read: Record<string, string | null> = await tab.evaluate(READ)
      assert.deepEqual({ title, author, language, excerpt }, read, layout)
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
})
