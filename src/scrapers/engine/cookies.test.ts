import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCookies } from './cookies.ts'

const URL_OF_SITE = new URL('http://site.test/')

test('scrapers 15: Expires ends a cookie at its time, in UTC; what is no date does not', () => {
  const before = process.env['TZ']
  process.env['TZ'] = 'America/New_York'
  try {
    const nowMs = Date.UTC(2026, 9, 21, 8)
    for (const [expires, isKept] of [
      ['Wed, 21 Oct 2026 07:28:00 GMT', false],
      ['Wed, 21-Oct-26 09:28:00 GMT', true],
      ['Wed, 21 Oct 2026 07:28:00', false],
      ['Thu, 01 Jan 1970 00:00:00 GMT', false],
      ['0', true],
      ['-1', true],
      ['never', true],
    ] as const) {
      const cookies = createCookies(() => nowMs)
      cookies.take(URL_OF_SITE, `session=a; Expires=${expires}; Path=/`)
      assert.equal(cookies.headerFor(URL_OF_SITE), isKept ? 'session=a' : undefined, expires)
    }
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})
