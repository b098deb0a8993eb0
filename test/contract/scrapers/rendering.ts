import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { before, test } from 'node:test'
import {
  ADMIN_KEY,
  type DatabaseKind,
  installation,
  needPrograms,
  shareServer,
  startServer,
  type TestServer,
  tell,
  until,
} from '#test-kit'
import { startProxy } from './forward-proxy.ts'
import { isAlive, processesOf, renderersOf } from './processes.ts'
import { html, page, type Site, send, startSite } from './site.ts'
import { scraping } from './support.ts'

const RENDERED = { render: 'browser', max_retries: 0 }
const SECRET = { 'X-Secret': 'for-the-start' }

/** The address that the server may reach. */
const SITE_HOST = '127.0.0.5'

/** In production, with a real Chromium. */
async function startRenderingServer(kind: DatabaseKind): Promise<TestServer> {
  needPrograms('chromium')
  const chromium = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim()
  return startServer(
    await installation(kind, {
      ...{ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_ENV: 'production' },
      ...{ ENTREPOT_SCRAPERS_ALLOW_NETS: `${SITE_HOST}/32`, ENTREPOT_SCRAPERS_CHROMIUM: chromium },
      ...(process.getuid?.() === 0 ? { ENTREPOT_SCRAPERS_CHROMIUM_USER: 'nobody' } : {}),
    }),
  )
}

/** So many runs of one rendered page each, the first that a new server has ever been asked for. */
export async function firstRenderings(kind: DatabaseKind, count: number): Promise<void> {
  await renderAtOnce(await startRenderingServer(kind), await startSite({ host: SITE_HOST }), count)
}

/** So many previews of one user at once: each shows its page or says why not and when to try again. */
export async function renderedPreviews(
  kind: DatabaseKind,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  const server = await startRenderingServer(kind)
  const site = await startSite({ host: SITE_HOST })
  const api = scraping(() => server.url)
  site.on('/preview', (_, response) =>
    html(response, "<title>a</title><script>document.title = 'By a script'</script>"),
  )
  const body = { url: `${site.url}/preview`, crawl: RENDERED }
  const asked = Array.from({ length: count }, () => api.call('POST', '/scrapers/preview', { body }))
  const outcomes = new Map<string, number>()
  for (const answer of await Promise.all(asked)) {
    const { items, error } = answer.body
    const outcome = answer.status === 200 ? 'rendered' : `${answer.status} ${error.code}`
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    if (answer.status === 200) {
      assert.deepEqual([items[0].data.title, error], ['By a script', null])
      continue
    }
    assert.match(outcome, /^(429 too_many_previews|503 busy)$/)
    assert.match(error.message, /try again in \d+ seconds/)
  }
  return outcomes
}

async function renderAtOnce(server: TestServer, site: Site, count: number): Promise<void> {
  const api = scraping(() => server.url)
  // A fifth of them is kept for other users.
  const body = { max_concurrent_runs: 2 * count }
  await api.ok('PATCH', '/settings/scrapers', { body })
  for (let number = 0; number < count; number++) {
    site.on(`/first/${number}`, (_, response) =>
      html(response, `<p id="made"></p><script>made.textContent = 'made ${number}'</script>`),
    )
  }
  const ids = await Promise.all(
    Array.from({ length: count }, (_, number) =>
      api.create({
        // How long it takes says more of the machine than of the browser.
        ...{ url: `${site.url}/first/${number}`, crawl: { ...RENDERED, timeout_seconds: 300 } },
        extract: { mode: 'fields', fields: { made: '#made' } },
      }),
    ),
  )
  const started = await Promise.all(ids.map(async (id) => [id, await api.start(id)] as const))
  for (const [number, [id, runId]] of started.entries()) {
    const { status, recoveries } = await api.finished(id, runId)
    assert.equal(recoveries, 0)
    const log = await api.ok('GET', `/scrapers/${id}/runs/${runId}/log`)
    assert.equal(status, 'completed', JSON.stringify(log.data))
    const [item] = await api.results(id)
    assert.equal(item.data.made, `made ${number}`)
    if (number % 10 === 9) tell(`${number + 1} of ${count} pages are rendered`)
  }
  assert.equal(server.log().split('the browser is started').length - 1, 1)
  await api.ok('PATCH', '/settings/scrapers', { body: { max_concurrent_runs: null } })
}

/** One server in production that may reach one address, with a real Chromium. */
export function renderingSuite(kind: DatabaseKind): void {
  let site: Site
  let hidden: Site
  const server = shareServer(async () => {
    site = await startSite({ host: SITE_HOST })
    hidden = await startSite()
    return startRenderingServer(kind)
  })
  const api = scraping(() => server().url)
  before(() => site.reset())

  test('scrapers render: pages that come first, and at the same time, start one browser', () =>
    renderAtOnce(server(), site, 8))

  test('scrapers render: text and links that scripts make are collected, pictures are not loaded', async () => {
    site.on('/app', (_, response) =>
      html(
        response,
        page({
          title: 'App',
          body: '<img src="/pic.png"><div id="made"></div><script src="/app.js"></script>',
        }),
      ),
    )
    site.on('/app.js', (_, response) =>
      send(
        response,
        200,
        'text/javascript',
        `fetch('/app.json').then((answer) => answer.json()).then(({ text, link }) => {
          made.innerHTML = '<p>' + text + '</p><a href="' + link + '">more</a>'
        })`,
      ),
    )
    site.on('/app.json', (_, response) =>
      send(response, 200, 'application/json', '{"text":"Made by a script","link":"/p/19"}'),
    )
    const definition = {
      ...{ url: `${site.url}/app`, crawl: RENDERED },
      extract: { mode: 'fields', fields: { made: '#made p', title: 'title' } },
    }
    const run = await api.crawl(definition)
    assert.deepEqual([run.status, run.pages_fetched], ['completed', 2])
    const items = await api.results(run.scraper_id)
    assert.deepEqual(items[0].data, { made: 'Made by a script', title: 'App' })
    assert.equal(items[1].url, `${site.url}/p/19`)
    assert.ok(!site.paths().includes('/pic.png'))
    // Scripts and data do not count, and the document is not fetched twice.
    assert.equal(site.paths().filter((path) => path === '/app').length, 1)
    site.reset()
    site.on('/app', (_, response) =>
      html(response, page({ title: 'App', body: '<img src="/pic.png">' })),
    )
    await api.crawl({ ...definition, crawl: { ...RENDERED, load_media: true } })
    assert.ok(site.paths().includes('/pic.png'))
  })

  test('scrapers render: what is in open shadow trees is read where people see it', async () => {
    site.on('/shadow', (_, response) =>
      html(
        response,
        page({
          title: 'Shadow',
          body: `<shop-card><b slot="name">Net, used</b><i>nobody sees this</i>
              <script type="application/ld+json">{"@type":"Product","name":"Net"}</script></shop-card>
            <noscript><em>without scripts</em></noscript>
            <script>
              customElements.define('shop-price', class extends HTMLElement {
                connectedCallback() {
                  window.connected = (window.connected ?? 0) + 1
                  this.attachShadow({ mode: 'open' }).innerHTML =
                    '<style>b { color: red }</style><span class="price"><slot></slot> crowns</span>'
                }
              })
              customElements.define('shop-card', class extends HTMLElement {
                connectedCallback() {
                  this.attachShadow({ mode: 'open' }).innerHTML =
                    '<h2 class="name"><slot name="name">nameless</slot></h2><p><slot name="none">No note</slot></p>' +
                    '<shop-price>40</shop-price><a href="/shadow/more">more</a>'
                }
              })
            </script>`,
        }),
      ),
    )
    site.on('/shadow/more', (_, response) => html(response, '<b class="price">50</b>'))
    const run = await api.crawl({
      ...{ url: `${site.url}/shadow`, crawl: { ...RENDERED, wait_for: '.price' } },
      extract: {
        mode: 'both',
        match: ['/shadow'],
        fields: {
          ...{ name: 'h2.name > b', price: 'shop-card shop-price > .price', card: 'shop-card' },
          without: 'noscript em',
        },
      },
    })
    assert.deepEqual([run.status, run.pages_failed, run.items_collected], ['completed', 0, 1])
    const [{ data }] = await api.results(run.scraper_id)
    const { name, price, without, card, json_ld: jsonLd } = data
    assert.deepEqual(
      { name, price, without },
      { name: 'Net, used', price: '40 crowns', without: 'without scripts' },
    )
    assert.match(card, /Net, used\s*No note\s*40 crowns\s*more/)
    assert.doesNotMatch(card, /nobody|color|nameless/)
    assert.deepEqual(jsonLd, [{ '@type': 'Product', name: 'Net' }])
    assert.ok(site.paths().includes('/shadow/more'), 'links in shadow trees are followed')
  })

  test('scrapers render: wait_for waits for what comes late, and its absence costs the page', async () => {
    const late = '<script>setTimeout(() => { document.body.id = "late" }, 1200)</script>'
    site.on('/late', (_, response) =>
      html(response, page({ title: 'Late', body: late, links: ['/without'] })),
    )
    site.on('/without', (_, response) => html(response, page({ title: 'Without' })))
    const run = await api.crawl({
      ...{ url: `${site.url}/late`, crawl: { ...RENDERED, wait_for: '#late', timeout_seconds: 6 } },
      extract: { mode: 'fields', fields: { id: { selector: ':root', attr: 'outer_html' } } },
    })
    assert.deepEqual(
      [run.status, run.items_collected, run.pages_failed, run.retries],
      ['completed', 1, 1, 0],
    )
    assert.match((await api.results(run.scraper_id))[0].data.id, /<body id="late">/)
    assert.match((await errorsOf(run))[0].message, /wait_for/)
  })

  test('scrapers 13: rendered pages reach no address that is not allowed', async () => {
    const inside = `${hidden.url}/p/0`
    const port = new URL(hidden.url).port
    site.on('/bad', (_, response) =>
      html(
        response,
        page({
          title: 'Bad',
          links: ['/away', '/moves'],
          body: `<iframe src="${inside}"></iframe><iframe src="/away"></iframe><img src="${inside}">
            <iframe src="http://localhost:${port}/p/1"></iframe>
            <link rel="preload" as="script" href="http://ip6-localhost:${port}/p/2">
            <script>
              fetch('${inside}').catch(() => {})
              fetch('/away').catch(() => {})
              fetch('http://2130706433:${port}/').catch(() => {})
              new WebSocket('ws://127.0.0.1:${port}/')
              navigator.sendBeacon('${inside}', 'x')
              new Worker(URL.createObjectURL(new Blob(["fetch('${inside}')"])))
              window.open('${inside}')
            </script>`,
        }),
      ),
    )
    site.on('/away', (_, response) => response.writeHead(302, { location: inside }).end())
    site.on('/moves', (_, response) => html(response, `<script>location = '${inside}'</script>`))
    hidden.reset()
    const run = await api.crawl({
      url: `${site.url}/bad`,
      crawl: { ...RENDERED, load_media: true, follow: 'any', max_depth: 1 },
    })
    assert.deepEqual([run.status, run.items_collected, hidden.hits], ['completed', 1, []])
    const errors = await errorsOf(run)
    assert.equal(errors.length, 2)
    for (const { message } of errors) assert.match(message, /not allowed/)
    const warnings = await logOf(run, 'warn')
    assert.match(warnings[0].message, /addresses not allowed/)
  })

  test('scrapers render: a script that goes to another page is a redirect like any other', async () => {
    site.on('/goes', (_, response) =>
      html(response, "<script>document.cookie = 'seen=1'; location.replace('/arrives')</script>"),
    )
    site.on('/arrives', (request, response) =>
      html(response, page({ title: `Cookie ${request.headers.cookie}`, links: ['/outside'] })),
    )
    site.on('/outside', (_, response) =>
      html(response, `<script>location = 'http://x.test/'</script>`),
    )
    const run = await api.crawl({ url: `${site.url}/goes`, crawl: RENDERED })
    const items = await api.results(run.scraper_id)
    assert.deepEqual(
      items.map(({ url, data }: Item) => [url, data.title]),
      [[`${site.url}/arrives`, 'Cookie seen=1']],
    )
    assert.equal(run.pages_skipped, 1)
    const other = await api.crawl({ url: `${site.url}/arrives`, crawl: RENDERED })
    assert.equal((await api.results(other.scraper_id))[0].data.title, 'Cookie undefined')
  })

  test('scrapers 15: headers of the definition reach the start origin only, also by scripts', async () => {
    const other = await startSite({ host: '127.0.0.5' })
    const open = { 'access-control-allow-origin': '*' }
    site.on('/secret', (_, response) =>
      html(
        response,
        page({
          title: 'Secret',
          body: `<script>
            fetch('/leads').catch(() => {}).then(() => fetch('${other.url}/direct'))
          </script>`,
        }),
      ),
    )
    site.on('/leads', (_, response) =>
      response.writeHead(302, { location: `${other.url}/led`, ...open }).end(),
    )
    for (const path of ['/led', '/direct']) {
      other.on(path, (_, response) => response.writeHead(200, open).end('x'))
    }
    await api.crawl({ url: `${site.url}/secret`, headers: SECRET, crawl: RENDERED })
    const sent = (hits: Site['hits'], path: string) =>
      hits.filter((hit) => hit.path === path).map(({ headers }) => headers['x-secret'])
    assert.deepEqual(sent(site.hits, '/leads'), ['for-the-start'])
    assert.deepEqual(sent(other.hits, '/led'), [undefined])
    assert.deepEqual(sent(other.hits, '/direct'), [undefined])
  })

  test('scrapers render: a script without end and a dialog cost their page at most', async () => {
    const links = ['/endless', '/fine']
    site.on('/two', (_, response) => html(response, page({ title: 'Two', links })))
    site.on('/endless', (_, response) => html(response, '<script>for (;;);</script>'))
    site.on('/fine', (_, response) =>
      html(response, page({ title: 'Fine', body: '<script>alert(1); confirm(2)</script>' })),
    )
    const run = await api.crawl({
      url: `${site.url}/two`,
      crawl: { ...RENDERED, timeout_seconds: 5, concurrency: 1 },
    })
    assert.deepEqual([run.status, run.items_collected, run.pages_failed], ['completed', 2, 1])
    assert.match((await errorsOf(run))[0].message, /may have no end/)
  })

  test('scrapers render: a page that is busy while it is taken has all of its time for it', async () => {
    // Silence is waited for until five seconds after the load; the page answers long after that.
    const script = `addEventListener('load', () => setTimeout(() => {
      const untilMs = Date.now() + 11500
      while (Date.now() < untilMs);
      made.textContent = 'made at last'
    }, 50))`
    site.on('/busy', (_, response) => html(response, `<p id="made"></p><script>${script}</script>`))
    const run = await api.crawl({
      ...{ url: `${site.url}/busy`, crawl: { ...RENDERED, timeout_seconds: 60 } },
      extract: { mode: 'fields', fields: { made: '#made' } },
    })
    assert.equal(run.status, 'completed', JSON.stringify(await errorsOf(run)))
    assert.equal((await api.results(run.scraper_id))[0].data.made, 'made at last')
  })

  test('scrapers render: a page that crashes costs that page', async () => {
    const here = '<b id="here"></b>'
    const links = ['/crash', '/whole']
    site.on('/first', (_, response) => html(response, page({ title: 'First', body: here, links })))
    site.on('/crash', (_, response) => html(response, "<script>fetch('/held')</script>"))
    site.on('/held', () => {})
    site.on('/whole', (_, response) => html(response, page({ title: 'Whole', body: here })))
    const id = await api.create({
      url: `${site.url}/first`,
      crawl: { ...RENDERED, concurrency: 1, wait_for: '#here' },
    })
    const runId = await api.start(id)
    await until(() => site.paths().includes('/held'), { what: 'the page', withinMs: 30_000 })
    for (const pid of renderersOf(server().pid)) process.kill(pid, 'SIGKILL')
    const run = await api.finished(id, runId)
    assert.deepEqual([run.status, run.items_collected, run.pages_failed], ['completed', 2, 1])
    assert.match((await errorsOf(run))[0].message, /crashed/)
  })

  test('scrapers render: when the whole browser is lost, its pages are shown again by another', async () => {
    let hold = true
    site.on('/lost', (_, response) =>
      html(response, page({ title: 'Lost', body: '<script src="/lost.js"></script>' })),
    )
    site.on('/lost.js', (_, response) => {
      if (!hold) send(response, 200, 'text/javascript', '0')
    })
    const crawl = { render: 'browser', max_retries: 2 }
    const id = await api.create({ url: `${site.url}/lost`, crawl })
    const runId = await api.start(id)
    await until(() => site.paths().includes('/lost.js'), { what: 'the page', withinMs: 30_000 })
    hold = false
    const [browser] = processesOf(server().pid).filter(({ command }) =>
      command.includes('chromium'),
    )
    process.kill(browser?.pid ?? 0, 'SIGKILL')
    const run = await api.finished(id, runId)
    assert.deepEqual([run.status, run.items_collected, run.retries], ['completed', 1, 1])
  })

  test('scrapers 14: what rendered pages load goes through the proxies of the pool', async () => {
    const proxy = await startProxy()
    const proxies = [`http://u:pa55word@127.0.0.1:${proxy.port}`]
    await api.ok('POST', '/proxy-pools', { body: { name: 'rendered', proxies } })
    site.on('/pooled', (_, response) =>
      html(response, page({ title: 'Pooled', body: '<script src="/pooled.js"></script>' })),
    )
    site.on('/pooled.js', (_, response) => send(response, 200, 'text/javascript', '0'))
    const before = site.hits.length
    const run = await api.crawl({
      ...{ url: `${site.url}/pooled`, crawl: RENDERED, proxy_pool: 'rendered' },
    })
    assert.equal(run.items_collected, 1)
    assert.deepEqual(
      site.hits.slice(before).map(({ path }) => path),
      ['/robots.txt', '/pooled', '/pooled.js'],
    )
    assert.equal(proxy.asked.length, 3)
    assert.ok(!server().log().includes('pa55word'))
  })

  test('scrapers render: a preview shows what scripts made', async () => {
    site.on('/preview', (_, response) =>
      html(response, "<title>a</title><script>document.title = 'By a script'</script>"),
    )
    const body = { url: `${site.url}/preview`, crawl: RENDERED }
    const shown = await api.ok('POST', '/scrapers/preview', { body })
    assert.deepEqual([shown.items[0].data.title, shown.error], ['By a script', null])
  })

  test('scrapers render: what has no effect is refused, and nobody sets the program remotely', async () => {
    const refusals = [
      [{ wait_for: '#x' }, 'crawl.wait_for'],
      [{ load_media: true }, 'crawl.load_media'],
      [{ render: 'browser', wait_for: 'p:contains(x)' }, 'crawl.wait_for'],
      [{ render: 'browser', wait_for: 'p[' }, 'crawl.wait_for'],
    ] as const
    for (const [crawl, field] of refusals) {
      const body = { name: 'x', url: site.url, crawl }
      const answer = await api.call('POST', '/scrapers', { body })
      assert.deepEqual([answer.status, answer.body.error.details[0].field], [400, field])
    }
    const settings = await api.ok('GET', '/settings/scrapers')
    assert.ok(!JSON.stringify(settings).includes('chromium'))
    const body = { chromium: '/bin/sh' }
    assert.equal((await api.call('PATCH', '/settings/scrapers', { body })).status, 400)
  })

  test('scrapers render: no browser is left when the server has ended, however it ended', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await api.crawl({ url: `${site.url}/p/19`, crawl: RENDERED })
      const left = processesOf(server().pid).filter(({ command }) => command.includes('chromium'))
      assert.ok(left.length > 1)
      server().signal(signal)
      await server().exited()
      await until(() => !left.some(({ pid }) => isAlive(pid)), { what: 'the end of the browser' })
      if (signal === 'SIGKILL') await server().restart()
    }
  })

  test('scrapers render: the next browser clears what one left whose server was killed', async () => {
    await server().restart()
    await api.crawl({ url: `${site.url}/p/19`, crawl: RENDERED })
    const commands = processesOf(server().pid).map(({ command }) => command)
    const profile = /--user-data-dir=([\w./-]+)/.exec(commands.join(' '))?.[1] ?? ''
    assert.ok(existsSync(profile))
    server().signal('SIGKILL')
    await server().exited()
    await server().restart()
    await api.crawl({ url: `${site.url}/p/19`, crawl: RENDERED })
    assert.ok(!existsSync(profile))
  })

  function errorsOf(run: { scraper_id: number; id: number }) {
    return logOf(run, 'error')
  }

  async function logOf(run: { scraper_id: number; id: number }, level: string) {
    const path = `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=${level}`
    return (await api.ok('GET', path)).data
  }
}

interface Item {
  readonly url: string
  readonly data: { readonly title: string }
}
