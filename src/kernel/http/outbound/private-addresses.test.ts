import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OperatorError } from '../../errors.ts'
import { createAddressRule } from './private-addresses.ts'

const production = createAddressRule({ allowLoopback: false, allowNets: [] })
const development = createAddressRule({ allowLoopback: true, allowNets: [] })

/** First and last address of each range, and its nearest neighbours that are public. */
const RANGES_V4: Record<string, { inside: string[]; beside: string[] }> = {
  unspecified: { inside: ['0.0.0.0', '0.255.255.255'], beside: ['1.0.0.0'] },
  'private 10': { inside: ['10.0.0.0', '10.255.255.255'], beside: ['9.255.255.255', '11.0.0.0'] },
  'carrier NAT': {
    inside: ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
    beside: ['100.63.255.255', '100.128.0.0'],
  },
  loopback: {
    inside: ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
    beside: ['126.255.255.255', '128.0.0.0'],
  },
  'platform metadata': { inside: ['168.63.129.16'], beside: ['168.63.129.15', '168.63.129.17'] },
  'link-local': {
    inside: ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
    beside: ['169.253.255.255', '169.255.0.0'],
  },
  'private 172': {
    inside: ['172.16.0.0', '172.31.255.255'],
    beside: ['172.15.255.255', '172.32.0.0'],
  },
  'protocol assignments': {
    inside: ['192.0.0.0', '192.0.0.192', '192.0.0.255'],
    beside: ['191.255.255.255', '192.0.1.0'],
  },
  'documentation 1': {
    inside: ['192.0.2.0', '192.0.2.255'],
    beside: ['192.0.1.255', '192.0.3.0'],
  },
  'relay anycast': { inside: ['192.88.99.0', '192.88.99.255'], beside: ['192.88.98.255'] },
  'private 192': {
    inside: ['192.168.0.0', '192.168.255.255'],
    beside: ['192.167.255.255', '192.169.0.0'],
  },
  benchmarking: {
    inside: ['198.18.0.0', '198.19.255.255'],
    beside: ['198.17.255.255', '198.20.0.0'],
  },
  'documentation 2': {
    inside: ['198.51.100.0', '198.51.100.255'],
    beside: ['198.51.99.255', '198.51.101.0'],
  },
  'documentation 3': {
    inside: ['203.0.113.0', '203.0.113.255'],
    beside: ['203.0.112.255', '203.0.114.0'],
  },
  'multicast, reserved, broadcast': {
    inside: ['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.254', '255.255.255.255'],
    beside: ['223.255.255.255'],
  },
}

const PUBLIC_V6 = [
  '2606:4700::1111',
  '2a00:1450::1',
  '2001:4860:4860::8888',
  '2001:200::1',
  '3ffe::',
]

const REFUSED_V6 = {
  unspecified: ['::', '0:0:0:0:0:0:0:0'],
  loopback: ['::1', '0000:0000:0000:0000:0000:0000:0000:0001'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  'local NAT64': ['64:ff9b:1::', '64:ff9b:1::8.8.8.8', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  discard: ['100::', '100::ffff:ffff:ffff:ffff'],
  Teredo: ['2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  benchmarking: ['2001:2::1'],
  ORCHID: ['2001:10::1', '2001:20::1'],
  documentation: ['2001:db8::', '2001:db8:ffff::1', '3fff::', '3fff:fff:ffff::1'],
  'segment routing': ['5f00::1'],
  'unique-local': ['fc00::', 'fd00:ec2::254', 'fdff:ffff::1'],
  'link-local': ['fe80::1', 'fe80::1%eth0', 'fe80::1%2', 'febf:ffff::1'],
  'site-local': ['fec0::1'],
  multicast: ['ff02::1', 'ff0e::1'],
  unassigned: ['4000::1', '8000::1', 'e000::1'],
}

describe('IPv4 ranges', () => {
  for (const [name, { inside, beside }] of Object.entries(RANGES_V4)) {
    test(`${name}: refused to its edges and not beyond, also mapped, as NAT64 and as 6to4`, () => {
      for (const ip of inside) for (const form of formsOf(ip)) assertRefused(form)
      for (const ip of beside) for (const form of formsOf(ip)) assertAllowed(form)
    })
  }
})

describe('IPv6 ranges', () => {
  for (const [name, addresses] of Object.entries(REFUSED_V6)) {
    test(`${name} is refused`, () => addresses.forEach(assertRefused))
  }

  test('public addresses are allowed', () => PUBLIC_V6.forEach(assertAllowed))
})

test('what is no address is refused', () => {
  for (const text of ['', 'example.com', '127.0.0', '1.2.3.4.5', '08.8.8.8', ':::', '%', '[::1]']) {
    assertRefused(text)
  }
})

describe('URLs', () => {
  const loopback = [
    'http://127.0.0.1',
    'http://127.0.0.1.:8080/x',
    'http://127.1',
    'http://0x7f.1',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://2130706433',
    'http://017700000001',
    'http://%31%32%37.0.0.1',
    'http://１２７.０.０.１',
    'http://127。0。0。1',
    'http://user@127.0.0.1',
    'http:\\\\127.0.0.1',
    'https://[::1]',
    'https://[0:0::0:1]:8443',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://localhost',
    'http://LOCALHOST:80',
    'http://localhost.',
    'http://ⓛocalhost',
    'http://api.localhost',
  ]
  const inBoth = [
    'http://0',
    'http://0.0.0.0',
    'http://[::]',
    'http://10.1.2.3',
    'http://[::ffff:10.0.0.1]',
    'http://[::127.0.0.1]',
    'http://[64:ff9b::127.0.0.1]',
    'http://[2002:7f00:1::]',
    'http://169.254.169.254/latest/meta-data',
    'http://0xa9fea9fe',
    'http://metadata.google.internal',
    'http://METADATA.google.internal.',
    'http://instance-data',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '/relative',
    'not a url',
    '',
  ]
  const fine = [
    'https://example.com',
    'http://8.8.8.8',
    'http://0x08080808',
    'https://[2606:4700::1111]/',
    'http://localhost.example.com',
    'http://notlocalhost',
  ]

  test('every spelling of loopback is refused in production and allowed in development', () => {
    for (const url of loopback) {
      assert.ok(production.checkUrl(url), url)
      assert.equal(development.checkUrl(url), null, url)
    }
  })

  test('other internal addresses, metadata names and other schemes are refused in both', () => {
    for (const url of inBoth) {
      assert.ok(production.checkUrl(url), url)
      assert.ok(development.checkUrl(url), url)
    }
  })

  test('public addresses and names are not refused', () => {
    for (const url of fine) assert.equal(production.checkUrl(url), null, url)
    assert.equal(production.checkUrl(new URL('https://example.com')), null)
  })
})

describe('allow-nets', () => {
  test('one address opens that address only, in both its spellings', () => {
    const rule = createAddressRule({ allowLoopback: false, allowNets: ['127.0.0.5/32'] })
    assert.equal(rule.isRefused('127.0.0.5'), false)
    assert.equal(rule.isRefused('::ffff:127.0.0.5'), false)
    for (const ip of ['127.0.0.4', '127.0.0.6', '127.0.0.1', '::1', '64:ff9b::127.0.0.5']) {
      assert.equal(rule.isRefused(ip), true, ip)
    }
    assert.ok(rule.checkUrl('http://localhost'))
  })

  test('localhost is allowed as soon as one of its addresses is', () => {
    for (const net of ['127.0.0.0/8', '::1/128', '127.0.0.1']) {
      const rule = createAddressRule({ allowLoopback: false, allowNets: [net] })
      assert.equal(rule.checkUrl('http://localhost'), null, net)
    }
  })

  test('a range of one family opens nothing in the other', () => {
    const v6 = createAddressRule({ allowLoopback: false, allowNets: ['::/0'] })
    assert.equal(v6.isRefused('fd12::1'), false)
    assert.equal(v6.isRefused('10.0.0.1'), true)
    assert.equal(v6.isRefused('::ffff:10.0.0.1'), true)
    const v4 = createAddressRule({ allowLoopback: false, allowNets: ['0.0.0.0/0'] })
    assert.equal(v4.isRefused('10.0.0.1'), false)
    assert.equal(v4.isRefused('fd12::1'), true)
  })

  test('prefixes that do not end at a byte are exact', () => {
    const rule = createAddressRule({
      allowLoopback: false,
      allowNets: ['10.16.0.0/12', 'fd80::/9'],
    })
    for (const ip of ['10.16.0.0', '10.31.255.255', 'fd80::1', 'fdff::1']) {
      assert.equal(rule.isRefused(ip), false, ip)
    }
    for (const ip of ['10.15.255.255', '10.32.0.0', 'fd7f::1']) {
      assert.equal(rule.isRefused(ip), true, ip)
    }
  })

  test('a malformed range is an error that quotes it', () => {
    const broken = [
      '10.0.0/8',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
    ]
    for (const net of [
      ...broken,
      '',
      'localhost',
      'fe80::%eth0/10',
      '10.1.2.3/8',
      '::ffff:0:0/96',
    ]) {
      assert.throws(
        () => createAddressRule({ allowLoopback: false, allowNets: [net] }),
        (error) => error instanceof OperatorError && error.message.includes(`"${net}"`),
        net,
      )
    }
  })
})

function formsOf(ip: string): string[] {
  const hex = Buffer.from(ip.split('.').map(Number)).toString('hex')
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`
  return [
    ip,
    `::ffff:${ip}`,
    `0:0:0:0:0:FFFF:${groups}`,
    `64:ff9b::${ip}`,
    `64:ff9b:0:0:0:0:${groups}`,
    `2002:${groups}::1`,
  ]
}

function assertRefused(ip: string) {
  assert.equal(production.isRefused(ip), true, `${ip} must be refused`)
}

function assertAllowed(ip: string) {
  assert.equal(production.isRefused(ip), false, `${ip} must be allowed`)
}
