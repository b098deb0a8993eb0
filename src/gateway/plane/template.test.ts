import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literalsOf, templateFault } from './template.ts'

test('a template names variables and groups that exist, and says what to do about others', () => {
  for (const text of [
    '',
    'plain',
    '$',
    `\${`,
    '$-',
    '$uri',
    `\${uri}x`,
    '$http_x_a',
    '\\$none',
    '5 $',
  ]) {
    assert.equal(templateFault(text), null, text)
  }
  for (const text of ['$none', `\${none}`, '$__proto__', '$constructor', '$1', `\${1}`, `\${1a}`]) {
    assert.match(templateFault(text) ?? '', /\\\$$/, text)
  }
  assert.equal(templateFault(`$1\${2}$2a`, 2), null)
  assert.match(templateFault('$3', 2) ?? '', /no group \$3/)
})

test('what stands in a template whatever the request is can be checked by itself', () => {
  assert.equal(literalsOf('a$uri\\$b$1\r\n'), 'a$b\r\n')
})
