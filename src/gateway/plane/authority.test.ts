import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAuthority } from './authority.ts'

test('gateway finding 5: a host is read in lower case, without port and final dot', () => {
  for (const [text, host] of Object.entries({
    'a.com': 'a.com',
    'A.Com:8080': 'a.com',
    'a.com.': 'a.com',
    'a.com.:443': 'a.com',
    'a.com:': 'a.com',
    '127.0.0.1:80': '127.0.0.1',
    '[::1]': '[::1]',
    '[2001:DB8::1]:443': '[2001:db8::1]',
    under_score: 'under_score',
  })) {
    assert.equal(parseAuthority(text), host, text)
  }
})

test('gateway finding 5: what names no host is refused', () => {
  for (const text of [
    '',
    '.',
    'x y',
    'x/y',
    'a, b',
    'a,b',
    'x:y:z',
    'x:y',
    'u@x',
    'u:p@x:80',
    'a..b',
    'a.com..',
    'a.com:99999',
    'a.com:-1',
    '::1',
    '[::1',
    '[x]',
    '[::1%eth0]',
    '[::1]x',
    '%61.com',
    'a?b',
    'a#b',
    'a\\b',
    'a\tb',
    'ä.com',
    '*"<>',
  ]) {
    assert.equal(parseAuthority(text), undefined, JSON.stringify(text))
  }
})
