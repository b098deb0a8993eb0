import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { ADMIN_KEY, createCalls } from '#test-kit'
import { storeSuite } from './support.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAADUlEQVR42mNk+M/wHwAEAQH/cQhT9wAAAABJRU5ErkJggg==',
  'base64',
)
const PAGE = '<!doctype html><script>alert(1)</script>'

export const mediaFiles = storeSuite('media files', ({ server }) => {
  const { call } = createCalls(() => server().url, { prefix: '/api/v1' })
  const stored = () =>
    readdirSync(join(server().dataDir, 'uploads')).filter((name) => name[0] !== '.')

  async function upload(
    bytes: Buffer | string,
    name: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = { 'x-api-key': ADMIN_KEY },
  ) {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.set(field, value)
    form.set('file', new Blob([new Uint8Array(Buffer.from(bytes))]), name)
    const answer = await fetch(`${server().url}/api/v1/media`, {
      method: 'POST',
      body: form,
      headers,
    })
    return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
  }

  test('a file is stored with its facts, listed, described and deleted with its bytes', async () => {
    const { status, headers, body } = await upload(PNG, 'harbour.png', {
      alternative_text: 'Boats',
    })
    assert.equal(status, 201)
    assert.equal(headers.get('location'), `/api/v1/media/${body.data.id}`)
    const { data } = body
    assert.deepEqual(
      [data.name, data.mime, data.ext, data.width, data.height, data.alternative_text],
      ['harbour.png', 'image/png', '.png', 3, 2, 'Boats'],
    )
    assert.equal(data.size, Math.round(PNG.length / 10) / 100)
    assert.match(data.url, /^\/uploads\/[A-Za-z0-9]{32}\.png$/)

    const read = await call('GET', `/media/${data.id}`, { key: ADMIN_KEY })
    assert.deepEqual(read.body, body)
    const list = await call('GET', '/media?sort=name&order=desc', { key: ADMIN_KEY })
    assert.ok(list.body.data.some((file: { id: number }) => file.id === data.id))
    const changed = await call('PATCH', `/media/${data.id}`, {
      key: ADMIN_KEY,
      body: { caption: 'At dawn', alternative_text: null },
    })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.data.caption, 'At dawn')
    assert.equal(changed.body.data.alternative_text, null)

    assert.equal((await call('DELETE', `/media/${data.id}`, { key: ADMIN_KEY })).status, 204)
    assert.equal((await call('GET', `/media/${data.id}`, { key: ADMIN_KEY })).status, 404)
    assert.equal((await fetch(server().url + data.url)).status, 404)
  })

  test('bytes are public by their name, with ranges, tags and no way to run', async () => {
    const { body } = await upload(PNG, 'a.png')
    const url = server().url + body.data.url
    const whole = await fetch(url)
    assert.equal(whole.status, 200)
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), PNG)
    assert.equal(whole.headers.get('content-type'), 'image/png')
    assert.equal(whole.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(whole.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(whole.headers.get('content-disposition'), null)

    const part = await fetch(url, { headers: { range: 'bytes=1-3' } })
    assert.equal(part.status, 206)
    assert.equal(await part.text(), 'PNG')
    assert.equal(part.headers.get('content-range'), `bytes 1-3/${PNG.length}`)
    const outside = await fetch(url, { headers: { range: 'bytes=5000-' } })
    assert.equal(outside.status, 416)
    assert.deepEqual(
      [outside.headers.get('cache-control'), outside.headers.get('etag')],
      ['no-store', null],
    )
    // RFC 9110 §14.2: ranges are for GET.
    for (const range of ['bytes=1-3', 'bytes=5000-']) {
      const head = await fetch(url, { method: 'HEAD', headers: { range } })
      const { status, headers } = head
      assert.deepEqual(
        [status, headers.get('content-length'), headers.get('content-range')],
        [200, String(PNG.length), null],
      )
    }
    const etag = whole.headers.get('etag') ?? ''
    assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
    for (const path of ['/uploads/', '/uploads/..%2fmaster.key', '/uploads/nope.png']) {
      const missing = await fetch(server().url + path)
      assert.equal(missing.status, 404, path)
      await missing.text()
    }
  })

  test('content-model 16: an HTML file named .png is stored by its real type and served as attachment', async () => {
    const { body } = await upload(PAGE, 'picture.png')
    assert.equal(body.data.mime, 'text/html')
    assert.equal(body.data.ext, '.html')
    const served = await fetch(server().url + body.data.url)
    assert.match(served.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(served.headers.get('content-disposition') ?? '', /^attachment/)
    assert.equal(served.headers.get('x-content-type-options'), 'nosniff')
    await served.text()
  })

  test('content-model 5: a file without a name gets one, and is deleted once', async () => {
    const { status, body } = await upload(PNG, '')
    assert.deepEqual([status, body.data.name], [201, 'file.png'])
    const remove = () => call('DELETE', `/media/${body.data.id}`, { key: ADMIN_KEY })
    const answers = await Promise.all(Array.from({ length: 8 }, remove))
    assert.equal(answers.filter((answer) => answer.status === 204).length, 1)
    assert.equal(answers.filter((answer) => answer.status === 404).length, 7)
  })

  test('content-model 5: a name that is too long is not cut within a character', async () => {
    const { body } = await upload(PNG, `${'x'.repeat(254)}\u{1f389}.png`)
    assert.equal(body.data.name, `${'x'.repeat(254)}\ufffd`)
  })

  test('jsonapi 7.4: a file that is too large is answered, with a length and without one', async () => {
    const names = { singularName: 'album', pluralName: 'albums', displayName: 'Album' }
    const type = { ...names, attributes: { cover: { type: 'media' } } }
    const made = await call('POST', '/content-types', { key: ADMIN_KEY, body: type })
    assert.equal(made.status, 201)
    await upload(PNG, 'before.png')
    const before = stored()
    for (const body of [Buffer.alloc(5_000_000), endless()]) {
      await refusedAsTooLarge('/jsonapi/node/album/cover', body, {
        'content-type': 'application/octet-stream',
        'content-disposition': 'file; filename="large.bin"',
      })
    }
    assert.deepEqual(stored(), before)
  })

  test('operation: behind a proxy, too, a body that is too large is answered before it has come', async () => {
    const json = { 'content-type': 'application/json' }
    for (const path of ['/api/v1/sign-in', '/api/v1/content-types', '/graphql']) {
      for (const body of [Buffer.alloc(5_000_000, ' '), endless()]) {
        await refusedAsTooLarge(path, body, json)
      }
    }
    assert.equal((await fetch(`${server().url}/ready`)).status, 200)
  })

  test('operation: the connection of a body that was refused early takes the next request', async () => {
    const { hostname, port } = new URL(server().url)
    for (const [path, type] of [
      ['/jsonapi/node/album/cover', 'application/octet-stream'],
      ['/api/v1/media', 'multipart/form-data; boundary=B'],
    ] as const) {
      const part = '--B\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
      const body = `${part}${'x'.repeat(3_000_000)}\r\n--B--\r\n`
      const socket = connect(Number(port), hostname)
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${ADMIN_KEY}\r\ncontent-type: ${type}\r\n` +
          `content-disposition: file; filename="a"\r\ncontent-length: ${body.length}\r\n\r\n${body}` +
          'GET /ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      )
      const answers = (await text(socket)).match(/HTTP\/1\.1 \d+/g)
      assert.deepEqual(answers, ['HTTP/1.1 413', 'HTTP/1.1 200'], path)
    }
  })

  test('operation: whoever sends more than is taken is told so, with the connection to be closed too, and not read for ever', async () => {
    const { hostname, port } = new URL(server().url)
    const head = `POST /api/v1/sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`
    const chunk = `${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`
    for (let tries = 0; tries < 10; tries++) {
      const socket = connect(Number(port), hostname)
      socket.write(`${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n`)
      socket.write(`${chunk.repeat(5)}0\r\n\r\n`)
      assert.match(await text(socket), /^HTTP\/1\.1 413 [\s\S]*"payload_too_large"/)
    }
    let { seen, sent } = await sendEndlessly()
    // Whoever writes at the moment of the reset loses what it has not read yet.
    for (let tries = 1; seen === '' && tries < 5; tries++) ({ seen, sent } = await sendEndlessly())
    assert.match(seen, /^HTTP\/1\.1 413 /)
    assert.ok(sent < 500, `${sent} MB were read`)

    async function sendEndlessly() {
      const endless = connect(Number(port), hostname)
      endless.write(`${head}transfer-encoding: chunked\r\n\r\n`)
      let seen = ''
      endless.setEncoding('utf8').on('data', (part: string) => {
        seen += part
      })
      const closed = once(endless, 'close').catch(() => 'reset')
      let sent = 0
      while (!endless.destroyed && sent < 500) {
        sent++
        if (!endless.write(chunk))
          await Promise.race([once(endless, 'drain').catch(() => {}), closed])
      }
      await closed
      return { seen, sent }
    }
  })

  async function refusedAsTooLarge(
    path: string,
    body: Buffer<ArrayBuffer> | ReadableStream,
    headers: Record<string, string>,
  ) {
    const refused = await fetch(server().url + path, {
      ...{ method: 'POST', body, duplex: 'half' },
      headers: { 'x-api-key': ADMIN_KEY, 'x-forwarded-for': '192.0.2.7', ...headers },
    })
    assert.equal(refused.status, 413, path)
    await refused.text()
  }

  /** More than any limit, and without a length. */
  function endless(): ReadableStream {
    return new Blob([Buffer.alloc(5_000_000, ' ')]).stream()
  }

  test('what is refused leaves no bytes behind', async () => {
    const before = stored()
    assert.equal((await upload(Buffer.alloc(100_001), 'large.bin')).status, 413)
    assert.equal((await upload(PNG, 'a.png', { colour: 'red' })).status, 400)
    assert.equal((await upload(PNG, 'a.png', {}, {})).status, 401)
    for (const name of ['name', 'caption', 'alternative_text', 'folder']) {
      const refused = await upload(PNG, 'a.png', { [name]: '/a\u0000b' })
      assert.equal(refused.status, 400, name)
    }
    const twice = new FormData()
    twice.append('file', new File([PNG], 'a.png'))
    for (const caption of ['one', 'two']) twice.append('caption', caption)
    const repeated = await fetch(`${server().url}/api/v1/media`, {
      method: 'POST',
      body: twice,
      headers: { 'x-api-key': ADMIN_KEY },
    })
    assert.equal(repeated.status, 400)
    assert.match(await repeated.text(), /caption must be sent once/)
    const empty = await fetch(`${server().url}/api/v1/media`, {
      method: 'POST',
      body: new FormData(),
      headers: { 'x-api-key': ADMIN_KEY },
    })
    assert.equal(empty.status, 400)
    const json = await call('POST', '/media', { key: ADMIN_KEY, body: { file: 'x' } })
    assert.equal(json.status, 415)
    assert.deepEqual(stored(), before)
  })
})
