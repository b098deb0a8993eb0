import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import pg from 'pg'
import { sendBind, type Wire } from './postgres-bind.ts'

test('large bytes are bound as the client itself binds them, without being copied', () => {
  const large = Buffer.alloc(20_000, 7)
  const lists: readonly (readonly Wire[])[] = [
    [large],
    ['name', null, large, '', Buffer.from('short'), 'ümläut', large.subarray(1)],
    ['a', null],
  ]
  for (const values of lists) {
    const own = sent((connection) => sendBind(connection, 'plan7', values))
    const theirs = sent((connection) =>
      connection.bind({ statement: 'plan7', values: [...values] }, true),
    )
    assert.deepEqual(Buffer.concat(own), Buffer.concat(theirs))
    if (values.includes(large)) assert.ok(own.some((part) => part.buffer === large.buffer))
  }
})

function sent(send: (connection: pg.Connection) => void): Buffer[] {
  const parts: Buffer[] = []
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk)
      done()
    },
  })
  send(new pg.Connection({ stream } as unknown as pg.ClientConfig))
  return parts
}
