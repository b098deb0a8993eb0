import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { ADMIN_KEY, installation, runEntrepot, temporaryDirectory, until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/entrepot.mjs', import.meta.url))
const NAME = 'api.example.com'
const PASSWORD = 'a-long-password'

describe('TLS on the API itself', () => {
  test('operation: links and cookies say https, new files hold at once, wrong ones leave the last pair', async (t) => {
    const files = keyFiles()
    const first = files.put()
    const env = await installation('sqlite', {
      ...files.env,
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_ADMIN_PASSWORD: PASSWORD,
      ENTREPOT_STARTER: 'types',
    })
    const port = Number(env['ENTREPOT_PORT'])
    const child = spawn(process.execPath, [PROGRAM, 'start'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
    })
    t.after(() => child.kill('SIGKILL'))
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk
      })
    }
    await until(async () => printed.includes(', ready in ') || undefined, {
      withinMs: 60_000,
      what: 'the server',
    })
    assert.match(printed, new RegExp(`API +https://127\\.0\\.0\\.1:${port}\n`))
    assert.match(printed, new RegExp(`Docs +https://127\\.0\\.0\\.1:${port}/docs`))

    assert.equal((await ask('GET', '/ready')).status, 200)
    for (const title of ['a', 'b']) {
      assert.equal((await ask('POST', '/api/v1/articles', { title })).status, 201)
    }
    const list = await ask('GET', '/api/v1/articles?limit=1')
    assert.match(String(list.headers['link']), new RegExp(`<https://${NAME}/api/v1/articles`))
    const credentials = { email: 'admin@localhost', password: PASSWORD }
    const signedIn = await ask('POST', '/api/v1/sign-in', credentials)
    assert.match(String(signedIn.headers['set-cookie']), /; Secure/, signedIn.body)

    await assert.rejects(fetch(`http://127.0.0.1:${port}/health`), 'no HTTP without TLS')
    // The gateway asks the API on a socket of its own.
    const route = { uri: '/health', upstream_id: 'entrepot' }
    assert.equal((await ask('PUT', '/gateway/admin/routes/health', route)).status, 201)
    const through = await fetch(`http://127.0.0.1:${env['ENTREPOT_GATEWAY_PORT']}/health`)
    assert.equal(through.status, 200)

    const second = files.put()
    await until(async () => (await shown(port)) === second || undefined, { what: 'the new pair' })
    files.putKey(createCertificate([NAME]).key)
    const log = join(env['ENTREPOT_DATA_DIR'] ?? '', 'logs/entrepot.log')
    const complaints = () =>
      readFileSync(log, 'utf8').match(
        /the key does not belong to the certificate.*was not replaced/g,
      )
    await until(async () => complaints() ?? undefined, { withinMs: 10_000, what: 'the complaint' })
    assert.equal(await shown(port), second)
    const third = files.put()
    await until(async () => (await shown(port)) === third || undefined, { what: 'the third pair' })
    assert.equal(complaints()?.length, 1)
    assert.equal(new Set([first, second, third]).size, 3)

    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)

    async function ask(method: string, path: string, body?: object) {
      const asked = request({
        ...{ host: '127.0.0.1', port, path, method, servername: NAME, agent: false },
        ca: files.cert(),
        headers: { host: NAME, 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' },
      }).end(body && JSON.stringify(body))
      const [answer] = await once(asked, 'response')
      return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
    }
  })

  test('operation: files that are wrong at the start end it with what is wrong', async () => {
    const files = keyFiles()
    files.put()
    const { ENTREPOT_TLS_CERT: cert = '', ENTREPOT_TLS_KEY: key = '' } = files.env
    const alone = await runEntrepot(['start'], { ENTREPOT_TLS_CERT: cert })
    assert.equal(alone.code, 1)
    assert.match(alone.output, /tls\.cert and tls\.key belong together; tls\.key is not set/)
    const base = await installation('sqlite')
    const missing = await runEntrepot(['start'], {
      ...base,
      ...files.env,
      ENTREPOT_TLS_KEY: '/no/key',
    })
    assert.deepEqual(missing, {
      code: 1,
      output: 'entrepot: tls.key: cannot read the file /no/key\n',
    })
    files.putKey(createCertificate([NAME]).key)
    const wrong = await runEntrepot(['start'], { ...base, ...files.env })
    assert.deepEqual(wrong, {
      code: 1,
      output: 'entrepot: tls: the key does not belong to the certificate\n',
    })
    writeFileSync(key, 'nonsense')
    const nonsense = await runEntrepot(['start'], { ...base, ...files.env })
    assert.match(nonsense.output, /^entrepot: tls: the certificate or its key is not correct PEM/)
  })
})

function keyFiles() {
  const directory = temporaryDirectory()
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  return { env: { ENTREPOT_TLS_CERT: cert, ENTREPOT_TLS_KEY: key }, put, putKey, cert: inForce }

  /** A new pair; returns by what its certificate is known. */
  function put(): string {
    const pair = createCertificate([NAME])
    writeFileSync(cert, pair.cert)
    putKey(pair.key)
    return new X509Certificate(pair.cert).fingerprint256
  }

  function putKey(text: string): void {
    writeFileSync(key, text)
  }

  function inForce(): string {
    return readFileSync(cert, 'utf8')
  }
}

/** By what the certificate is known that a new connection is shown. */
async function shown(port: number): Promise<string> {
  const socket = tls.connect({
    host: '127.0.0.1',
    port,
    servername: NAME,
    rejectUnauthorized: false,
  })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
