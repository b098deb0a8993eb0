import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { type ConnectionOptions, connect } from 'node:tls'
import { readClientHello } from './client-hello.ts'

/** What OpenSSL sends first with these options. */
function helloOf(options: ConnectionOptions): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        resolve(chunk)
        done()
      },
    })
    connect({ ...options, socket }).on('error', () => {})
  })
}

test('gateway finding 7: name, versions and protocols are read, however the bytes arrive', async () => {
  const options = { servername: 'Front.Example.org.', ALPNProtocols: ['h2', 'http/1.1'] }
  const bytes = await helloOf({ ...options, minVersion: 'TLSv1.2' })
  for (let cut = 0; cut < bytes.length; cut++) {
    assert.equal(readClientHello(bytes.subarray(0, cut)), undefined, `cut at ${cut}`)
  }
  assert.deepEqual(readClientHello(bytes), {
    name: 'front.example.org',
    versions: ['TLSv1.3', 'TLSv1.2'],
    protocols: ['h2', 'http/1.1'],
  })
})

test('gateway finding 7: a hello in several records is put together', async () => {
  const bytes = await helloOf({ servername: 'a.org', maxVersion: 'TLSv1.2' })
  const message = bytes.subarray(5)
  for (const size of [1, 3, 4, 50]) {
    const records: Buffer[] = []
    for (let at = 0; at < message.length; at += size) {
      const part = message.subarray(at, at + size)
      records.push(Buffer.from([22, 3, 1, 0, part.length]), part)
    }
    const { name, versions } = readClientHello(Buffer.concat(records)) ?? {}
    assert.deepEqual([name, versions], ['a.org', ['TLSv1.2']])
  }
})

test('what is no hello is known by its first bytes, and no bytes do harm', async () => {
  assert.equal(readClientHello(Buffer.from('GET / HTTP/1.1\r\n')), null)
  assert.equal(readClientHello(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])), null)
  const bytes = await helloOf({ servername: 'a.org' })
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0, 1, 127, 255]) {
      const changed = Buffer.from(bytes)
      changed[at] = value
      readClientHello(changed)
    }
  }
})
