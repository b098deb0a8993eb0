import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eachDatabase, startBrowser, until } from '#test-kit'
import { startUsage } from './usage-kit.ts'

const browser = await startBrowser()

eachDatabase('usage page', async (kind) => {
  // A browser has its own clock.
  const server = await startUsage(kind, { startsAtMs: null })
  const { record, addKey, keys, url } = server
  const { main } = server.database.database

  /** A page of its own, with everything it complained of. */
  const openPage = async (cookie?: string) => {
    const context = await browser.newContext({ locale: 'en-GB' })
    after(() => context.close())
    if (cookie !== undefined) {
      await context.addCookies([{ name: 'entrepot_signin', value: cookie, url }])
    }
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      const isRefusal = /status of 40[13]|ERR_/.test(message.text())
      if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
    })
    await page.goto(`${url}/usage`)
    return { page, complaints }
  }
  const enter = async (page: Page, key: string | number) => {
    await page.fill('#key', String(key))
    await page.click('text=Show usage')
  }
  const shown = (page: Page, id: string, text: string, withinMs = 5_000) =>
    until(async () => (await page.textContent(`#${id}`)) === text, {
      withinMs,
      what: `#${id} to be ${text}`,
    })

  test('the page needs nothing from elsewhere and runs nothing that is written into it', async () => {
    const answer = await fetch(`${url}/usage`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    const html = await answer.text()
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:\/\/(?!www\.w3\.org)/)
    for (const asset of ['usage.js', 'usage.css']) {
      assert.equal((await fetch(`${url}/usage/${asset}`)).status, 200)
    }
  })

  test('access 18: a key owner sees the four figures, and a request within two seconds', async () => {
    const { id } = addKey()
    await record([
      { keyId: id, responseMs: 20 },
      { keyId: id, responseMs: 30, cost: 1_200 },
    ])
    const { page, complaints } = await openPage()
    await page.waitForSelector('#gate:visible')
    await enter(page, id)
    await page.waitForSelector('#status.live')
    await shown(page, 'today', '2')
    await shown(page, 'month', '1,201')
    await shown(page, 'month-limit', '10,000')
    await shown(page, 'average', '25 ms')
    await shown(page, 'progress-percent', '12 %')
    assert.match((await page.textContent('#progress-note')) ?? '', /8,799 left/)
    assert.equal(await page.locator('#chart rect.minute').count(), 60)

    const before = await page.textContent('#chart-note')
    assert.match(before ?? '', /2 served/)
    await record([{ keyId: id, responseMs: 40 }])
    await shown(page, 'today', '3', 2_000)
    await shown(page, 'chart-note', 'In the last hour 3 served.', 2_000)
    assert.deepEqual(complaints, [])
  })

  test('the key is kept in the tab and nowhere else', async () => {
    const { id } = addKey()
    const { page } = await openPage()
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await enter(page, id)
    await page.waitForSelector('#status.live')
    const kept = await page.evaluate(
      '({ session: Object.values(sessionStorage), local: localStorage.length, cookie: document.cookie })',
    )
    assert.deepEqual(kept, { session: [String(id)], local: 0, cookie: '' })
    assert.ok(urls.length > 3)
    for (const each of [page.url(), ...urls]) assert.ok(!/[?&](api_)?key=/.test(each), each)

    await page.reload()
    await page.waitForSelector('#status.live')
    await page.click('#forget')
    await page.waitForSelector('#gate:visible')
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
  })

  test('a wrong key and a revoked one are told apart', async () => {
    const { page, complaints } = await openPage()
    await page.waitForSelector('#gate:visible')
    assert.equal(await page.isVisible('#key-problem'), false)
    await enter(page, 'nonsense')
    await shown(page, 'key-problem', 'Invalid API key')
    await enter(page, addKey({ status: 'revoked' }).id)
    await shown(page, 'key-problem', 'API key revoked')
    await enter(page, addKey().id)
    await page.waitForSelector('#status.live')
    assert.equal(await page.isVisible('#gate'), false)
    assert.deepEqual(complaints, [])
  })

  test('access 18: who is signed in is not asked for a key', async () => {
    const userId = 9_000
    const [a, b] = [addKey({ userId }), addKey({ userId })]
    await record([{ keyId: a.id }, { keyId: b.id }])
    const { page } = await openPage(`user:${userId}`)
    await page.waitForSelector('#status.live')
    await shown(page, 'today', '2')
    await shown(page, 'month-limit', '20,000')
    await shown(page, 'whose', 'All keys of your account')
  })

  test('a threshold is announced on the page', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 10 } })
    const { page } = await openPage()
    await enter(page, id)
    await page.waitForSelector('#status.live')
    await record([{ keyId: id, cost: 8, monthLimit: 10 }])
    await shown(page, 'notice', '80 % of this month is used: 8 of 10.')
    await page.waitForSelector('#progress.near')
    await record([{ keyId: id, cost: 2, monthLimit: 10 }])
    await shown(page, 'notice', 'The monthly limit of 10 is used up; further requests are refused.')
    await page.waitForSelector('#progress.full')
  })

  test('a connection that breaks is shown, and found again without anything missed', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 10 } })
    const { page } = await openPage()
    await enter(page, id)
    await page.waitForSelector('#status.live')
    server.cut()
    await shown(page, 'status', 'Reconnecting…')
    await record([{ keyId: id, cost: 9, monthLimit: 10 }])
    await page.waitForSelector('#status.live')
    await shown(page, 'month', '9')
    await shown(page, 'notice', '90 % of this month is used: 9 of 10.')
  })

  test('a key that is revoked closes the page and says why', async () => {
    const key = addKey()
    const { page } = await openPage()
    await enter(page, key.id)
    await page.waitForSelector('#status.live')
    keys.set(key.id, { ...key, status: 'revoked' })
    await main.transaction(undefined, (tx) =>
      server.usage.noteKeyChange(tx, { keyId: key.id, userId: key.userId, status: 'revoked' }),
    )
    await shown(page, 'key-problem', 'API key revoked')
    assert.equal(await page.isVisible('#dashboard'), false)
  })

  test('access 18: a browser opens the stream by cookie and by ticket', async () => {
    const { id, userId } = addKey()
    await record([{ keyId: id }])
    const { page } = await openPage(`user:${userId}`)
    await page.waitForSelector('#status.live')
    const byCookie = await page.evaluate(`new Promise((resolve) => {
      const source = new EventSource('/api/v1/usage/stream')
      source.addEventListener('usage', (event) => { source.close(); resolve(JSON.parse(event.data).today) })
    })`)
    assert.equal(byCookie, 1)
    const byTicket = await page.evaluate(`(async () => {
      const { data } = await (await fetch('/api/v1/stream-tickets', { method: 'POST' })).json()
      const first = await new Promise((resolve) => {
        const source = new EventSource('/api/v1/usage/stream?ticket=' + data.ticket)
        source.addEventListener('usage', (event) => { source.close(); resolve(JSON.parse(event.data).today) })
      })
      return first
    })()`)
    assert.equal(byTicket, 1)
  })

  test('on a phone nothing is wider than the screen', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 1_000_000_000_000 } })
    await record([{ keyId: id, cost: 999_999_999_999 }])
    const { page } = await openPage()
    await page.setViewportSize({ width: 320, height: 640 })
    await enter(page, id)
    await page.waitForSelector('#status.live')
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320)
  })
})
