import assert from 'node:assert/strict'
import https from 'node:https'
import { before, describe, test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { ADMIN_PASSWORD, type OperationServer } from './support.ts'

const NAME = 'shop.example.org'

interface Seen {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

/** Finding 16: clients of the gateway's TLS port get URLs and cookies of that port. */
export function behindGatewaySuite({ server, ok }: OperationServer): void {
  describe('behind the TLS port of the own gateway', () => {
    const port = () => Number(server().env['ENTREPOT_GATEWAY_TLS_PORT'])
    const origin = () => `https://${NAME}:${port()}`
    before(async () => {
      const { cert, key } = createCertificate([NAME])
      await ok('PUT', '/gateway/admin/ssls/shop', { body: { sni: NAME, cert, key } })
      const route = { uri: '/*', upstream_id: 'entrepot' }
      await ok('PUT', '/gateway/admin/routes/all', { body: route })
    })

    test('operation finding 16: links, OpenAPI servers and cookies are those of https', async () => {
      const list = await overTls('GET', '/api/v1/articles?per_page=1')
      assert.match(String(list.headers['link']), new RegExp(`^<${origin()}/api/v1/articles\\?`))
      const node = JSON.parse((await overTls('GET', '/jsonapi')).text)
      assert.equal(node.links.self.href, `${origin()}/jsonapi`)
      const { servers } = JSON.parse((await overTls('GET', '/api/v1/openapi.json')).text)
      assert.deepEqual(servers, [{ url: origin() }])
      const body = { email: 'admin@localhost', password: ADMIN_PASSWORD }
      const signedIn = await overTls('POST', '/api/v1/sign-in', body)
      assert.ok(signedIn.status < 300, signedIn.text)
      assert.match(String(signedIn.headers['set-cookie']), /; Secure/)
    })

    test('operation finding 16: without TLS, and by a header anybody can send, they are not', async () => {
      const headers = { 'x-api-key': ADMIN_KEY, 'x-forwarded-proto': 'https' }
      const { gatewayUrl } = server()
      const list = await fetch(`${gatewayUrl}/api/v1/articles?per_page=1`, { headers })
      assert.match(list.headers.get('link') ?? '', new RegExp(`^<${gatewayUrl}/api/v1/articles`))
    })

    function overTls(method: string, path: string, body?: object): Promise<Seen> {
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const options = {
        ...{ host: '127.0.0.1', port: port(), servername: NAME, method, path, agent: false },
        rejectUnauthorized: false,
        headers: {
          host: `${NAME}:${port()}`,
          ...(payload === undefined
            ? { 'x-api-key': ADMIN_KEY }
            : { 'content-type': 'application/json', 'content-length': payload.length }),
        },
      }
      return new Promise((resolve, reject) => {
        const request = https.request(options, async (response) => {
          let text = ''
          for await (const chunk of response) text += chunk
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
        request.on('error', reject)
        request.end(payload)
      })
    }
  })
}
