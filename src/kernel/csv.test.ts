import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CsvValue, csvLine } from './csv.ts'

const cell = (value: CsvValue, safe = true) => csvLine([value], safe).slice(0, -2)

test('a line ends with CRLF and separates by commas', () => {
  assert.equal(csvLine(['a', 1, true, null, 'b'], true), 'a,1,true,,b\r\n')
})

test('commas, quotes and line breaks are quoted (RFC 4180)', () => {
  assert.equal(cell('a,b'), '"a,b"')
  assert.equal(cell('say "hi"'), '"say ""hi"""')
  assert.equal(cell('a\nb'), '"a\nb"')
  assert.equal(cell('a\r\nb'), '"a\r\nb"')
})

test('text that a spreadsheet would take for a formula is preceded by an apostrophe', () => {
  assert.equal(cell('=1+1'), "'=1+1")
  assert.equal(cell('+cmd'), "'+cmd")
  assert.equal(cell('-2+3'), "'-2+3")
  assert.equal(cell('@SUM(A1)'), "'@SUM(A1)")
  assert.equal(cell('\tx'), "'\tx")
  assert.equal(cell('\r=x'), `"'\r=x"`)
  assert.equal(cell('=a,"b"'), `"'=a,""b"""`)
})

test('numbers stay numbers, also those that begin with a sign', () => {
  for (const number of ['-5', '+5', '-5.25', '-.5', '+1e9', '-1.5E-3']) {
    assert.equal(cell(number), number)
  }
  assert.equal(cell(-5), '-5')
  assert.equal(cell('-5x'), "'-5x")
})

test('the apostrophe can be turned off', () => {
  assert.equal(cell('=1+1', false), '=1+1')
})
