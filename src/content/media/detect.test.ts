import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { detect } from './detect.ts'

const directory = mkdtempSync(join(tmpdir(), 'entrepot-detect-'))
after(() => rmSync(directory, { recursive: true }))

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAADUlEQVR42mNk+M/wHwAEAQH/cQhT9wAAAABJRU5ErkJggg==',
  'base64',
)
const GIF = Buffer.from('R0lGODlhBQAHAIAAAAAAAP///yH5BAEAAAAALAAAAAAFAAcAAAIEhI+pWAA7', 'base64')

async function detected(bytes: Buffer | string, ext = '') {
  const file = join(directory, 'file')
  writeFileSync(file, bytes)
  return detect(file, ext)
}

test('pictures are known by their bytes and measured', async () => {
  assert.deepEqual(await detected(PNG, '.exe'), {
    mime: 'image/png',
    ext: '.png',
    width: 3,
    height: 2,
  })
  assert.deepEqual(await detected(GIF), { mime: 'image/gif', ext: '.gif', width: 5, height: 7 })
  const svg =
    '<?xml version="1.0"?>\n<!-- a --><svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"/>'
  assert.deepEqual(await detected(svg, '.png'), {
    mime: 'image/svg+xml',
    ext: '.svg',
    width: 8,
    height: 4,
  })
})

test('a page is a page whatever its name says', async () => {
  for (const page of ['<!DOCTYPE html><p>hi', '  <html>', '\ufeff<script>alert(1)</script>']) {
    assert.equal((await detected(page, '.png')).mime, 'text/html', page)
  }
  assert.equal((await detected('<?xml version="1.0"?><rss/>', '.txt')).mime, 'application/xml')
})

test('text keeps a harmless ending, everything else gets that of its bytes', async () => {
  assert.deepEqual(await detected('a;b\n1;2', '.CSV'), {
    mime: 'text/csv',
    ext: '.csv',
    width: null,
    height: null,
  })
  assert.equal((await detected('grüße', '.html')).mime, 'text/plain')
  assert.equal((await detected('', '.png')).ext, '.txt')
  assert.equal((await detected(Buffer.from([0, 1, 2, 255]), '.png')).ext, '.bin')
  assert.equal((await detected(PNG.subarray(0, 20), '.png')).width, null, 'a damaged picture')
})

test('long pictures are measured by their beginning, and by all of them where that does not tell', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const create = { width: 500, height: 400, channels: 3, background: 'black', noise } as const
  const size = { width: 500, height: 400 }
  const picture = await sharp({ create }).jpeg({ quality: 95 }).toBuffer()
  assert.ok(picture.length > 65_536)
  assert.deepEqual(await detected(picture), { mime: 'image/jpeg', ext: '.jpg', ...size })
  const comment = Buffer.alloc(65_535 + 2, 'x')
  comment.writeUInt16BE(0xfffe, 0)
  comment.writeUInt16BE(65_535, 2)
  const marked = Buffer.concat([picture.subarray(0, 2), comment, picture.subarray(2)])
  assert.deepEqual(await detected(marked), { mime: 'image/jpeg', ext: '.jpg', ...size })
})
