import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, installation, startBrowser, startServer } from '#test-kit'
import { graphqlSuite } from './support.ts'

const PASSWORD = 'a long enough Secret 17'

export const explorer = graphqlSuite('the page for trying queries', (api) => {
  const pageFor = async (headers: Record<string, string>, url = api.server().url) => {
    const page = await fetch(`${url}/graphql`, { headers: { accept: 'text/html', ...headers } })
    assert.equal(page.status, 200)
    return (await page.text()).includes('graphiql.js') ? 'graphiql' : 'plain'
  }

  test('graphql 14: who has signed in as admin gets it, nobody else does', async () => {
    const cookieOf = async (access: string) => {
      const email = `${access}-${api.kind}@example.com`
      const own = { email, password: PASSWORD }
      await api.ok('POST', '/api/v1/users', { body: { ...own, access } })
      const signedIn = await api.call('POST', '/api/v1/sign-in', { key: null, body: own })
      const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
      assert.notEqual(cookie, '')
      return { cookie }
    }
    assert.equal(await pageFor(await cookieOf('admin')), 'graphiql')
    assert.equal(await pageFor(await cookieOf('write')), 'plain')
    assert.equal(await pageFor({}), 'plain')
  })

  test('graphql 14: in development it is for everybody', async () => {
    // One database is enough: nothing is read for the page.
    if (api.kind !== 'sqlite') return
    const server = await startServer(await installation('sqlite', { ENTREPOT_ENV: 'development' }))
    try {
      assert.equal(await pageFor({}, server.url), 'graphiql')
    } finally {
      await server.kill()
    }
  })

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
