import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, startBrowser } from '#test-kit'
import { graphqlSuite } from './support.ts'

export const explorer = graphqlSuite('the page for trying queries', (api) => {
  test('graphql 14: it is for admins outside of development, and all it loads comes from here', async (t) => {
    const { url } = api.server()
    const headers = { accept: 'text/html' }
    const others = await fetch(`${url}/graphql`, {
      headers: { ...headers, 'x-api-key': api.keys.write },
    })
    assert.ok(!(await others.text()).includes('graphiql'))
    const page = await fetch(`${url}/graphql`, { headers: { ...headers, 'x-api-key': ADMIN_KEY } })
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'(;|$)/)
    const html = await page.text()
    assert.ok(!/https?:\/\//.test(html))
    for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/graphql\/graphiql\/[^"]+)"/g)) {
      assert.equal((await fetch(`${url}${path}`)).status, 200, path)
    }
    // The page is the same whatever the database is.
    if (api.kind !== 'sqlite') return
    const browser = await startBrowser()
    t.after(() => browser.close())
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-api-key': ADMIN_KEY } })
    const tab = await context.newPage()
    const faults: string[] = []
    const hosts = new Set<string>()
    tab.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    tab.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin)
    })
    const introspected = tab.waitForResponse(
      (answer) =>
        answer.request().method() === 'POST' && answer.url().endsWith('/graphql/connection'),
    )
    await tab.goto(`${url}/graphql/connection`)
    await tab.waitForSelector('.graphiql-container')
    assert.equal((await introspected).status(), 200)
    await tab.waitForSelector('.monaco-editor')
    assert.deepEqual([...hosts], [url])
    assert.deepEqual(faults, [])
  })
})
