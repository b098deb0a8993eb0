import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProxyHeader } from './proxy-header.ts'

const SIGNATURE = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

function binary(command: number, family: number, content: readonly number[]): Buffer {
  const { length } = content
  return Buffer.from([...SIGNATURE, command, family, length >> 8, length & 255, ...content])
}

const PORTS = [0x1f, 0x90, 0, 80]
const TCP4 = [192, 0, 2, 7, 198, 51, 100, 1, ...PORTS]
const SOURCE6 = [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 1]
const MAPPED = [...Array(10).fill(0), 255, 255, 192, 0, 2, 7]

const HEADERS: readonly [string, Buffer, string | null][] = [
  ['a line', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 8080 80\r\n'), '192.0.2.7'],
  [
    'a line of IPv6',
    Buffer.from('PROXY TCP6 2001:db8:0::1 2001:db8::2 8080 80\r\n'),
    '2001:db8::1',
  ],
  ['a line for nobody', Buffer.from('PROXY UNKNOWN\r\n'), null],
  ['a line for nobody with more', Buffer.from('PROXY UNKNOWN a b c\r\n'), null],
  ['binary', binary(0x21, 0x11, TCP4), '192.0.2.7'],
  ['binary with more', binary(0x21, 0x11, [...TCP4, 4, 0, 1, 9]), '192.0.2.7'],
  ['binary of IPv6', binary(0x21, 0x21, [...SOURCE6, ...SOURCE6, ...PORTS]), '2001:db8::1'],
  ['IPv4 as IPv6', binary(0x21, 0x21, [...MAPPED, ...SOURCE6, ...PORTS]), '192.0.2.7'],
  ['the proxy itself', binary(0x20, 0x11, TCP4), null],
  ['no address', binary(0x21, 0, []), null],
  ['a Unix socket', binary(0x21, 0x31, Array(216).fill(0)), null],
]

for (const [name, bytes, address] of HEADERS) {
  test(`PROXY protocol: ${name} is read, whole or byte by byte, and no byte after it`, () => {
    for (let size = 0; size < bytes.length; size++) {
      assert.equal(readProxyHeader(bytes.subarray(0, size)), undefined, `${size} bytes`)
    }
    const read = readProxyHeader(Buffer.concat([bytes, Buffer.from('GET / HTTP/1.1')]))
    const peer = address === null ? null : { address, port: 8080, localPort: 80, lines: '' }
    assert.deepEqual(read, { bytes: bytes.length, peer })
  })
}

const FAULTS: Readonly<Record<string, string | Buffer>> = {
  'no header': 'GET / HTTP/1.1\r\n',
  'an unknown family': 'PROXY TCP5 192.0.2.7 198.51.100.1 8080 80\r\n',
  'an address of the other family': 'PROXY TCP4 ::1 ::1 8080 80\r\n',
  'no address at all': 'PROXY TCP4\r\n',
  'a port that is none': 'PROXY TCP4 192.0.2.7 198.51.100.1 8080 65536\r\n',
  'a port with a zero before it': 'PROXY TCP4 192.0.2.7 198.51.100.1 08080 80\r\n',
  'two spaces': 'PROXY TCP4  192.0.2.7 198.51.100.1 8080 80\r\n',
  'a line that is too long': `PROXY UNKNOWN ${'x'.repeat(100)}`,
  'another version': binary(0x31, 0x11, TCP4),
  'an unknown command': binary(0x22, 0x11, TCP4),
  datagrams: binary(0x21, 0x12, TCP4),
  'too few bytes': binary(0x21, 0x11, TCP4.slice(1)),
  'more than any proxy adds': Buffer.from([...SIGNATURE, 0x21, 0x11, 0xff, 0xff]),
}

for (const [name, bytes] of Object.entries(FAULTS)) {
  test(`PROXY protocol: ${name} is no header`, () => {
    assert.equal(readProxyHeader(Buffer.from(bytes)), null)
  })
}
