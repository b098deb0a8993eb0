import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { ConsoleServer } from './support.ts'

/** A port that nobody listens on. */
const NOBODY = '127.0.0.1:9'

export function gatewayScreens({ call, signedIn, server }: ConsoleServer): void {
  describe('gateway', () => {
    let node = ''
    before(
      AsyncResource.bind(async () => {
        const upstream = createServer((_request, response) => response.end('from the upstream'))
        upstream.listen(0, '127.0.0.1')
        await once(upstream, 'listening')
        after(() => {
          upstream.closeAllConnections()
          upstream.close()
        })
        const address = upstream.address()
        node = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
      }),
    )

    test('console 9: a route with two plugins made by forms works on the next request; explain names it; roll-back restores', async () => {
      const ask = () => fetch(`${server().gatewayUrl}/harbour/news`)
      const { page, complaints } = await signedIn('/gateway')
      await page.getByRole('button', { name: 'New route' }).first().click()
      await page.getByLabel('Id', { exact: true }).fill('harbour')
      await page.getByRole('combobox', { name: 'Paths' }).fill('/harbour/*')
      await page.keyboard.press('Enter')
      await page.getByLabel('Address of node 1').fill(node)
      const add = async (plugin: string) => {
        await page.getByRole('combobox', { name: 'Add a plugin' }).fill(plugin)
        await page.getByRole('option', { name: plugin, exact: true }).click()
      }
      await add('limit-count')
      await page.getByRole('textbox', { name: 'count', exact: true }).fill('50')
      await page.getByRole('textbox', { name: 'time_window', exact: true }).fill('60')
      await add('response-rewrite')
      await page.getByLabel('body', { exact: true }).fill('rewritten')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('the next request meets it').waitFor()
      const answer = await ask()
      assert.deepEqual([answer.status, await answer.text()], [200, 'rewritten'])
      assert.equal(answer.headers.get('x-ratelimit-limit'), '50')

      await page.goto(`${server().url}/console/gateway/explain`)
      await page.getByLabel('Path').fill('/harbour/news')
      await page.getByRole('button', { name: 'Explain' }).click()
      await page.getByRole('button', { name: 'harbour', exact: true }).waitFor()
      const plugins = page.getByRole('table', { name: 'Plugins' })
      await plugins.getByText('response-rewrite').first().waitFor()
      await page.getByText(node).first().waitFor()

      await page.getByRole('button', { name: 'harbour', exact: true }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'Gateway' }).waitFor()
      assert.equal((await ask()).status, 404)

      await page.getByRole('tab', { name: 'History' }).click()
      const newest = page.locator('tr[data-row]').first()
      await newest.getByText('deleted').waitFor()
      await newest.getByText('routes/harbour').waitFor()
      await newest.click()
      await page.getByRole('button', { name: 'Go back to before this' }).click()
      await page.getByRole('button', { name: 'Go back', exact: true }).click()
      await page.getByText('The configuration is as it was').waitFor()
      assert.equal(await (await ask()).text(), 'rewritten')
      assert.deepEqual(complaints, [])
    })

    test('console 9: an upstream that does not answer is red on its screen and on Home', async () => {
      const check = { interval: 1 }
      const body = {
        name: 'Lost',
        nodes: { [NOBODY]: 1 },
        checks: {
          active: { http_path: '/', healthy: check, unhealthy: { ...check, tcp_failures: 1 } },
        },
      }
      const key = { headers: { 'x-api-key': server().env['ENTREPOT_ADMIN_KEY'] ?? '' } }
      const put = (path: string, value: object) =>
        call('PUT', `/gateway/admin${path}`, { body: value, ...key })
      assert.equal((await put('/upstreams/lost', body)).status, 201)
      assert.equal((await put('/routes/lost', { uri: '/lost', upstream_id: 'lost' })).status, 201)
      const { page, complaints } = await signedIn('/gateway/upstreams')
      await page.getByText(`${NOBODY} unhealthy`).waitFor()
      await page.goto(`${server().url}/console/home`)
      await page.getByRole('alert').getByText(NOBODY).waitFor()
      assert.deepEqual(complaints, [])
    })

    test('console 9: neither a newer version nor an object of the same name is overwritten unseen, and no text that is no JSON is dropped', async () => {
      const headers = { 'x-api-key': server().env['ENTREPOT_ADMIN_KEY'] ?? '' }
      const body = { nodes: { [NOBODY]: 1 } }
      const write = (method: string, changed: object) =>
        call(method, '/gateway/admin/upstreams/twice', { body: changed, headers })
      assert.equal((await write('PUT', body)).status, 201)
      const { page } = await signedIn('/gateway/upstreams/twice')
      const name = page.getByLabel('Name', { exact: true })
      await name.fill('Mine')
      await write('PATCH', { name: 'Theirs' })
      const save = page.getByRole('button', { name: 'Save' }).first()
      await save.click()
      await page.getByText('Somebody else has changed it').waitFor()
      await page.getByRole('button', { name: 'All' }).click()
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.getByText('Theirs').click()
      await name.and(page.locator('[value="Theirs"]')).waitFor()
      await page.getByRole('tab', { name: 'JSON' }).click()
      const editor = page.locator('.cm-content')
      await editor.click()
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText('{"name": ')
      await page.getByRole('tab', { name: 'Form' }).click()
      await page.getByText('This is not JSON yet').waitFor()
      assert.match((await editor.textContent()) ?? '', /"name":/)

      await page.goto(`${server().url}/console/gateway/upstreams/new`)
      await page.getByLabel('Id', { exact: true }).fill('twice')
      await save.click()
      await page.getByText('There is one of this name already').waitFor()
      const kept = await call('GET', '/gateway/admin/upstreams/twice', { headers })
      assert.equal(Object(kept.body).value.name, 'Theirs')
    })

    test('console 9: nodes that are a list keep their priorities when a weight is typed', async () => {
      const headers = { 'x-api-key': server().env['ENTREPOT_ADMIN_KEY'] ?? '' }
      const address = '/gateway/admin/upstreams/ranked'
      const node = { host: '127.0.0.1', port: 1, weight: 1 }
      const nodes = [node, { ...node, port: 2, priority: -1 }]
      assert.equal((await call('PUT', address, { body: { nodes }, headers })).status, 201)
      const { page } = await signedIn('/gateway/upstreams/ranked')
      await page.getByLabel('Weight of node 1').focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Backspace')
      await page.keyboard.type('25')
      const [saved] = await Promise.all([
        page.waitForResponse((answer) => answer.request().method() === 'PUT'),
        page.getByRole('button', { name: 'Save' }).first().click(),
      ])
      assert.equal(saved.status(), 200)
      const { body } = await call('GET', address, { headers })
      const wanted = [
        { ...node, weight: 25 },
        { ...node, port: 2, priority: -1 },
      ]
      assert.deepEqual(
        Object(body).value.nodes.map(
          ({ host, port, weight, priority }: Record<string, unknown>) => ({
            ...{ host, port, weight },
            ...(priority ? { priority } : {}),
          }),
        ),
        wanted,
      )
    })
  })
}
