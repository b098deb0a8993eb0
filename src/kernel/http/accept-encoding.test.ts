import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsGzip, createNegotiation, negotiate } from './accept-encoding.ts'

test('a weight of nought or nonsense excludes, case and spaces do not matter', () => {
  assert.equal(negotiate(' GZIP ; Q=0.5 , Br;q=0.4').coding, 'gzip')
  assert.equal(negotiate('gzip;q=2').coding, undefined)
  assert.equal(negotiate('gzip;q=abc, br;q=0.001').coding, 'br')
  assert.equal(negotiate('x-gzip').coding, 'gzip')
  assert.equal(negotiate(',,;').coding, undefined)
})

test('uncompressed is refused by its own weight or by that of everything else', () => {
  assert.equal(negotiate('gzip, identity;q=0').isRequired, true)
  assert.equal(negotiate('gzip, *;q=0').isRequired, true)
  assert.equal(negotiate('gzip, *;q=0, identity;q=0.1').isRequired, false)
  assert.equal(negotiate('gzip').isRequired, false)
  assert.deepEqual(negotiate('identity;q=0'), { coding: undefined, isRequired: false })
})

test('answers are remembered, but not without end', () => {
  const remembering = createNegotiation()
  assert.equal(remembering('gzip'), remembering('gzip'))
  for (let i = 0; i < 1_000; i++) assert.equal(remembering(`gzip;q=0.5, x${i}`).coding, 'gzip')
  assert.equal(remembering(undefined).coding, undefined)
})

test('bytes that exist only as gzip go out to those who take them', () => {
  assert.deepEqual([undefined, '', 'br', 'gzip', 'gzip;q=0', '*', 'gzip;q=0, *'].map(acceptsGzip), [
    false,
    false,
    false,
    true,
    false,
    true,
    false,
  ])
})
