import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCodec } from './codec.ts'

const open = { seal: (text: string) => text, open: (text: string) => text }

test('scrapers finding 2: what was stored before a rule came is read as it was', () => {
  const stored = {
    name: 'two\nlines',
    url: 'https://a.example/',
    proxy_pool: 'eu\n',
    headers: null,
  }
  const { name, proxyPool } = createCodec(open).read(JSON.stringify(stored))
  // A pool that is not found fails the run; one that is forgotten would let it go out directly.
  assert.deepEqual([name, proxyPool], ['two\nlines', 'eu\n'])
})
