import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import sharp from 'sharp'
import { ADMIN_KEY, createCalls, until } from '#test-kit'
import { storeSuite } from './support.ts'

interface Format {
  readonly url: string
  readonly width: number
  readonly height: number
  readonly mime: string
  readonly sizeInBytes: number
}

interface Shown {
  readonly id: number
  readonly url: string
  readonly width: number | null
  readonly height: number | null
  readonly formats: Record<string, Format> | null
}

function drawn(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: 'teal' } })
}

async function moving(): Promise<Buffer> {
  const frames = ['red', 'green', 'blue'].map((background) =>
    sharp({ create: { width: 400, height: 300, channels: 3, background } })
      .png()
      .toBuffer(),
  )
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .gif()
    .toBuffer()
}

export const pictures = storeSuite('smaller pictures', ({ server }) => {
  const { call } = createCalls(() => server().url)
  const key = ADMIN_KEY
  const bytesOf = async (url: string) => {
    const answer = await fetch(server().url + url)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), answer }
  }

  async function upload(bytes: Buffer | string, name: string, id?: number): Promise<Shown> {
    const form = new FormData()
    form.set('files', new Blob([new Uint8Array(Buffer.from(bytes))]), name)
    const query = id === undefined ? '' : `?id=${id}`
    const { status, body } = await call('POST', `/api/upload${query}`, { key, form })
    assert.equal(status, 200, JSON.stringify(body))
    return id === undefined ? body[0] : body
  }

  async function shown(id: number): Promise<Shown> {
    return (await call('GET', `/api/upload/files/${id}`, { key })).body
  }

  function formatsOf(id: number, isOther = (_: Record<string, Format>) => true) {
    return until(async () => {
      const { formats } = await shown(id)
      return formats && isOther(formats) ? formats : undefined
    })
  }

  test('cms-rest 15: an uploaded picture gets smaller ones as WebP, replaced and removed with it', async () => {
    const file = await upload(await drawn(1_200, 900).jpeg().toBuffer(), 'harbour.jpg')
    assert.deepEqual([file.width, file.height, file.formats], [1_200, 900, null])
    const formats = await formatsOf(file.id)
    assert.deepEqual(
      Object.entries(formats).map(([name, { width, height, mime }]) => [name, width, height, mime]),
      [
        ['thumbnail', 208, 156, 'image/webp'],
        ['small', 500, 375, 'image/webp'],
        ['medium', 750, 563, 'image/webp'],
        ['large', 1_000, 750, 'image/webp'],
      ],
    )
    for (const [name, { url, sizeInBytes }] of Object.entries(formats)) {
      const { status, bytes, answer } = await bytesOf(url)
      assert.equal(status, 200, name)
      assert.equal(answer.headers.get('content-type'), 'image/webp')
      assert.equal(bytes.length, sizeInBytes)
      assert.equal((await sharp(bytes).metadata()).format, 'webp')
    }
    const small = formats['small']?.url ?? ''

    const replaced = await upload(await drawn(400, 200).png().toBuffer(), 'other.png', file.id)
    assert.equal(replaced.id, file.id)
    assert.equal(replaced.formats, null)
    const others = await formatsOf(file.id)
    assert.deepEqual(Object.keys(others), ['thumbnail'])
    assert.equal((await bytesOf(small)).status, 404)
    const thumbnail = others['thumbnail']?.url ?? ''
    assert.equal((await bytesOf(thumbnail)).status, 200)
    await call('DELETE', `/api/upload/files/${file.id}`, { key })
    assert.equal((await bytesOf(thumbnail)).status, 404)
  })

  test('cms-rest 15: a moving picture goes on moving; drawings and small pictures need no other sizes', async () => {
    const gif = await upload(await moving(), 'moving.gif')
    const { small, thumbnail } = await formatsOf(gif.id)
    assert.equal(small, undefined)
    assert.deepEqual([thumbnail?.width, thumbnail?.height], [208, 156])
    const { bytes } = await bytesOf(thumbnail?.url ?? '')
    assert.equal((await sharp(bytes).metadata()).pages, 3)

    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"/>'
    const drawing = await upload(svg, 'drawing.svg')
    const dot = await upload(await drawn(20, 20).png().toBuffer(), 'dot.png')
    // Work is done in the order in which it came: when this one has its formats, those had their turn.
    const last = await upload(await drawn(300, 300).png().toBuffer(), 'last.png')
    await formatsOf(last.id)
    assert.equal((await shown(drawing.id)).formats, null)
    assert.equal((await shown(dot.id)).formats, null)
  })

  test('cms-rest 15: a broken and a huge picture cost only themselves', async () => {
    const whole = await drawn(1_200, 900).png().toBuffer()
    const broken = await upload(whole.subarray(0, whole.length / 2), 'broken.png')
    const huge = await upload(await drawn(1_600, 1_300).png().toBuffer(), 'huge.png')
    const turned = await upload(
      await drawn(600, 300).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
      'turned.jpg',
    )
    const { thumbnail } = await formatsOf(turned.id)
    assert.deepEqual([thumbnail?.width, thumbnail?.height], [78, 156])
    assert.equal((await shown(broken.id)).formats, null)
    assert.equal((await shown(huge.id)).formats, null)
    assert.equal((await bytesOf(huge.url)).status, 200)
    // Said before the formats of the last were kept, but lines of the log are written in batches, a moment later.
    const refused = await until(() => {
      const lines = server().log().split('\n')
      const own = lines.filter((line) => line.includes('a picture gets no formats'))
      return own.length >= 2 && own
    })
    assert.deepEqual(
      refused.map((line) => JSON.parse(line).file),
      [broken.id, huge.id],
    )
  })

  test('content-model 5: formats of many pictures are made beside the API, by a process that gives way', async () => {
    if (process.platform !== 'linux') return
    const bytes = await drawn(600, 400).jpeg().toBuffer()
    const files = await Promise.all(Array.from({ length: 5 }, (_, n) => upload(bytes, `${n}.jpg`)))
    const { pid } = server()
    const startedMs = threadMs(pid)
    const maker = await until(async () => makersOf(pid)[0])
    assert.equal(maker.nice, 19)
    // Not by asking for them, which would be work of the API.
    await until(async () => files.every(({ id }) => madeIn(server().log()).includes(id)))
    const [makerMs = 0] = makersOf(pid).map((each) => each.usedMs)
    const apiMs = threadMs(pid) - startedMs
    assert.ok(makerMs > 0 && apiMs < makerMs, `API ${apiMs} ms, pictures ${makerMs} ms`)
  })
})

/** Files whose formats are made. */
function madeIn(log: string): unknown[] {
  const lines = log.split('\n').filter((line) => line.includes('got its formats'))
  return lines.map((line) => JSON.parse(line).file)
}

/** Processor time of the main thread, which answers requests. */
function threadMs(pid: number): number {
  const [usedNs = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
    .split(' ')
    .map(Number)
  return usedNs / 1e6
}

/** The processes of pictures of a server; ticks are hundredths of a second. */
function makersOf(pid: number) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        // Behind the name, which may hold anything.
        const figures = stat
          .slice(stat.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number)
        const [, parent, , , , , , , , , , user = 0, system = 0, , , , nice] = figures
        return parent === pid ? [{ nice, usedMs: (user + system) * 10 }] : []
      } catch {
        return []
      }
    })
}
