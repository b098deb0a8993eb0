import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findChromium } from './find-chromium.ts'

const isRoot = process.getuid?.() === 0

test('scrapers render: without a program that can be run the operator is told what to set', () => {
  assert.match(problemOf(undefined, 'nobody'), /Set scrapers\.chromium /)
  for (const path of ['/nowhere/chromium', 'chromium', '/etc/passwd']) {
    assert.match(problemOf(path, 'nobody'), /is not a program/, path)
  }
})

test('scrapers render: root never runs the browser', { skip: !isRoot }, () => {
  assert.match(problemOf('/bin/sh', undefined), /chromium_user/)
  for (const user of ['root', 'nobody-there', '0', '']) {
    assert.match(problemOf('/bin/sh', user), /is not an ordinary user/, user)
  }
  const found = findChromium({ chromium: '/bin/sh', chromiumUser: 'nobody' })
  assert.ok('command' in found)
  assert.match(found.command, /setpriv/)
  assert.ok(found.args.includes('--clear-groups'))
})

function problemOf(chromium: string | undefined, chromiumUser: string | undefined): string {
  const found = findChromium({ chromium, chromiumUser })
  return 'problem' in found ? found.problem : ''
}
