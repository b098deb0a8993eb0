import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { temporaryDirectory, until } from '#test-kit'
import { html, page } from './site.ts'
import { scraperSuite } from './support.ts'

const BINARY = fileURLToPath(new URL('../../../bin/entrepot.mjs', import.meta.url))
const FAST = { rate_limit: 1000 }

interface Item {
  readonly url: string
  readonly data: { readonly title: string; readonly text: string }
  readonly [member: string]: unknown
}

export const command = scraperSuite('entrepot scrape', (api) => {
  test('scrapers command: lines on standard output are what the API gives, nothing stays behind', async () => {
    const site = api.site()
    site.reset()
    const definition = { ...FAST, crawl: { max_depth: 2 }, extract: { match: ['/p/*'] } }
    const run = await api.crawl({ ...definition, url: `${site.url}/p/0` })
    const wanted = (await api.results(run.scraper_id)).map(comparable)
    const place = workplace({ 'own.json': definition })
    const scraped = await place.scrape([`${site.url}/p/0`, '--config', 'own.json'])
    assert.equal(scraped.code, 0, scraped.err)
    assert.deepEqual(byText(linesOf(scraped.out).map(comparable)), byText(wanted))
    assert.equal(wanted.length, 7)
    // Where it takes long, lines before the last tell how far it is.
    assert.match(
      scraped.err,
      /^(?:\d pages, \d items, \d waiting\n)*7 pages, 7 items, [\d.]+ s \(nothing left to fetch\)\n$/,
    )
    assert.deepEqual(place.left(), [])
  })

  test('scrapers command: --out by its ending, --pages is never exceeded', async () => {
    const site = api.site()
    site.reset()
    site.on('/p/0', (_, response) =>
      html(response, page({ title: '=1+1, "quoted"', links: ['/p/1', '/p/2', '/p/3'] })),
    )
    const place = workplace({ 'own.json': { ...FAST, crawl: { concurrency: 8, max_pages: 50 } } })
    const args = [`${site.url}/p/0`, '--config', 'own.json', '--pages', '3']
    const asCsv = await place.scrape([...args, '--out', 'found.csv'])
    assert.equal(asCsv.code, 0, asCsv.err)
    assert.equal(asCsv.out, '')
    assert.match(
      asCsv.err,
      /^3 pages, 3 items in found\.csv, .+\(as many pages as were asked for\)$/m,
    )
    assert.equal(site.paths().length, 3)
    const rows: Record<string, string>[] = parse(place.read('found.csv'), { columns: true })
    const asLines = await place.scrape([...args, '--out', 'found.ndjson'])
    assert.equal(asLines.code, 0, asLines.err)
    const items = linesOf(place.read('found.ndjson'))
    // What a spreadsheet would compute is defused, as in the API.
    const shown = items.map(({ url, data }) => [url, data.title.replace(/^=/, "'="), data.text])
    assert.deepEqual(
      byText(rows.map((row) => [row['url'], row['title'], row['text']])),
      byText(shown),
    )
    assert.deepEqual(place.files(), ['found.csv', 'found.ndjson', 'own.json'])
  })

  test('scrapers command: everything that is wrong is said at once, and nothing is fetched', async () => {
    const site = api.site()
    site.reset()
    const place = workplace({
      'wrong.json': {
        ...{ rate_limit: 0, schedule: '0 6 * * *', output: { collection: 'articles' } },
        ...{ proxy_pool: 'eu', unknown: 1, crawl: { max_depth: 'x' } },
        extract: { item_selector: 'a[' },
      },
      'text.json': 'no object',
    })
    writeFileSync(join(place.directory, 'broken.json'), '{')
    const wrong = await place.scrape([site.url, '--config', 'wrong.json'])
    assert.equal(wrong.code, 2)
    for (const field of ['rate_limit', 'unknown', 'crawl.max_depth', 'extract.item_selector']) {
      assert.match(wrong.err, new RegExp(`^  ${field} `, 'm'))
    }
    for (const field of ['schedule', 'output', 'proxy_pool']) {
      assert.match(wrong.err, new RegExp(`^  ${field} needs a server`, 'm'))
    }
    const cases: [args: string[], message: RegExp, env?: Record<string, string>][] = [
      [[], /"scrape" needs <url>/],
      [['news.example'], /^ {2}url must be an absolute URL such as https/m],
      [[site.url, '--out', 'found.txt'], /found\.txt must end in \.ndjson or \.csv/],
      [[site.url, '--pages', '0'], /--pages must be a whole number from 1/],
      [[site.url, '--config', 'broken.json'], /broken\.json is not JSON/],
      [[site.url, '--config', 'text.json'], /text\.json must hold a JSON object/],
      [[site.url], /127\.0\.0\.1 is not allowed\nENTREPOT_SCRAPERS_ALLOW_NETS/, PRODUCTION],
    ]
    for (const [args, message, env] of cases) {
      const { code, err, out } = await place.scrape(args, env)
      assert.deepEqual([code, out], [2, ''], err)
      assert.match(err, message)
      assert.doesNotMatch(err, /\n\s+at /)
    }
    assert.deepEqual(site.hits, [])
    assert.deepEqual(place.left(), [])
    assert.deepEqual(place.files(), ['broken.json', 'text.json', 'wrong.json'])
  })

  test('scrapers command: a failed run says why and what to do, and leaves the file as it was', async () => {
    const site = api.site()
    site.reset()
    site.on('/robots.txt', (_, response) => response.end('User-agent: *\nDisallow: /private'))
    const place = workplace()
    writeFileSync(join(place.directory, 'found.csv'), 'from before')
    const failed = await place.scrape([`${site.url}/gone`, '--out', 'found.csv'])
    assert.equal(failed.code, 1)
    assert.match(failed.err, /^failed: http.+\/gone: The server answered 404$/m)
    assert.match(failed.err, /entrepot: No page could be fetched\. Look whether the address/)
    assert.equal(place.read('found.csv'), 'from before')
    const refused = await place.scrape([`${site.url}/private`])
    assert.equal(refused.code, 1)
    assert.match(refused.err, /robots\.txt does not allow the start URL\. Ask the owner/)
    const nowhere = await place.scrape([site.url, '--out', 'no/such/found.csv'])
    assert.equal(nowhere.code, 1)
    assert.match(nowhere.err, /no\/such\/found\.csv cannot be written: .+; name another file/)
    assert.deepEqual(place.files(), ['found.csv'])
    assert.deepEqual(place.left(), [])
  })

  test('scrapers command: Ctrl-C ends the run in order and keeps what was collected', async () => {
    const site = api.site()
    site.reset()
    site.on('/first', (_, response) =>
      html(response, page({ title: 'First', links: ['/hang', '/p/19'] })),
    )
    // Never answered.
    site.on('/hang', () => {})
    const place = workplace({ 'own.json': FAST })
    writeFileSync(join(place.directory, 'found.ndjson'), 'from before')
    const args = [`${site.url}/first`, '--config', 'own.json', '--out', 'found.ndjson']
    const running = place.begin(args)
    const part = () => globSync('found.ndjson.*.part', { cwd: place.directory })[0]
    await until(() => {
      const name = part()
      return name !== undefined && linesOf(place.read(name)).length === 2
    })
    assert.equal(place.read('found.ndjson'), 'from before')
    running.child.kill('SIGINT')
    const { code, err } = await running.ended
    assert.equal(code, 130)
    assert.match(err, /Stopping; what was collected is kept/)
    assert.match(err, /^\d pages, 2 items in found\.ndjson, .+\(stopped\)$/m)
    const titles = linesOf(place.read('found.ndjson')).map(({ data }) => data.title)
    assert.deepEqual(titles.sort(), ['First', 'Page 19'])
    assert.deepEqual(place.files(), ['found.ndjson', 'own.json'])
    assert.deepEqual(place.left(), [])
  })

  test('scrapers command: a reader that has enough ends it quietly', async () => {
    const site = api.site()
    site.reset()
    const place = workplace()
    const running = place.begin([`${site.url}/p/0`])
    const { stdout } = running.child
    assert.ok(stdout)
    const [first] = await once(createInterface({ input: stdout }), 'line')
    stdout.destroy()
    const { code, err } = await running.ended
    assert.equal(code, 0)
    assert.doesNotMatch(err, /EPIPE|entrepot:|^\s+at /m)
    assert.equal(JSON.parse(first).url, `${site.url}/p/0`)
    assert.ok(site.paths().length < 20)
    assert.deepEqual(place.left(), [])
  })

  test('scrapers command: at a terminal one line tells how far it is', async () => {
    const site = api.site()
    site.reset()
    const place = workplace({ 'own.json': FAST })
    const words = [process.execPath, BINARY, 'scrape', `${site.url}/p/0`, '--config', 'own.json']
    const line = `${words.join(' ')} > found.ndjson`
    const child = spawn('script', ['-qec', line, '/dev/null'], place.options())
    const shown = await text(child.stdout)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a line is written over
    assert.match(shown, /\r\u001b\[K\d+ pages, \d+ items, \d+ waiting/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a line is written over
    assert.match(shown, /\r\u001b\[K15 pages, 15 items, .+\(nothing left to fetch\)/)
    assert.equal(linesOf(place.read('found.ndjson')).length, 15)
  })
})

const PRODUCTION = { ENTREPOT_ENV: 'production' }

/** What two runs of one definition have in common. */
function comparable({ id, run_id, scraper_id, fetched_at, ...item }: Item) {
  return item
}

function byText(rows: unknown[]) {
  return rows.map((row) => JSON.stringify(row)).sort()
}

function linesOf(ndjson: string): Item[] {
  // A line that is being written has no end yet.
  const whole = ndjson.slice(0, ndjson.lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** A working directory with these files, and one for temporary files that should be empty again. */
function workplace(files: Record<string, unknown> = {}) {
  const directory = temporaryDirectory()
  const temporary = temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(directory, name), JSON.stringify(content))
  }
  return {
    directory,
    options,
    begin,
    scrape: (args: readonly string[], env?: Record<string, string>) => begin(args, env).ended,
    read: (name: string) =>
      existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'utf8') : '',
    files: () => readdirSync(directory).sort(),
    left: () => readdirSync(temporary),
  }

  function options(env: Record<string, string> = {}) {
    const basic = { PATH: process.env['PATH'] ?? '', TMPDIR: temporary }
    return { cwd: directory, env: { ...basic, ...env } }
  }

  function begin(args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [BINARY, 'scrape', ...args], options(env))
    after(() => child.kill('SIGKILL'))
    return { child, ended: endOf(child) }
  }
}

async function endOf(child: ChildProcess) {
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  const [code] = await once(child, 'close')
  return { code, out: out(), err: err() }
}

function collect(stream: ChildProcess['stdout']): () => string {
  let seen = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk
  })
  return () => seen
}
