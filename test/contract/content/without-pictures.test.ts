import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  startServer,
  type TestServer,
  temporaryDirectory,
  until,
} from '#test-kit'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const UNABLE = /pictures get no formats: sharp does not run on this machine/

async function upload(server: TestServer, name: string) {
  const form = new FormData()
  const create = { width: 900, height: 600, channels: 3, background: 'teal' } as const
  const bytes = await sharp({ create }).png().toBuffer()
  form.set('files', new Blob([new Uint8Array(bytes)]), name)
  const { status, body } = await createCalls(() => server.url).call('POST', '/api/upload', { form })
  assert.equal(status, 200, JSON.stringify(body))
  return body[0]
}

/** The picture is there as it was sent, and says that it has no other sizes. */
async function assertWhole(server: TestServer, id: number) {
  const { body } = await createCalls(() => server.url).call('GET', `/api/upload/files/${id}`)
  assert.deepEqual([body.width, body.height, body.formats], [900, 600, null])
  assert.equal((await fetch(server.url + body.url)).status, 200)
}

/** A copy of the program beside all its packages but the one that reads pictures. */
function withoutSharp(): string {
  const root = temporaryDirectory()
  for (const name of ['bin', 'dist', 'scripts', 'package.json', 'CHANGELOG.md']) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true })
  }
  const modules = join(root, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name === 'sharp' || name.startsWith('.')) continue
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  return root
}

eachDatabase('servers that make no smaller pictures', (kind) => {
  test('cms-rest 15: with media.formats=false uploads are taken as they are, and nothing is made', async () => {
    const off = { ENTREPOT_MEDIA_FORMATS: 'false', ENTREPOT_ADMIN_KEY: ADMIN_KEY }
    const server = await startServer(await installation(kind, off))
    const { id } = await upload(server, 'plain.png')
    const replaced = await upload(server, 'other.png')
    // Whatever is left to the worker has had its turn when an entry was published by its time.
    const { data } = createCalls(() => server.url)
    const attributes = { title: { type: 'string' } }
    await data('POST', '/api/v1/content-types', {
      body: { singularName: 'note', pluralName: 'notes', draftAndPublish: true, attributes },
    })
    const publish_at = new Date(Date.now() + 1_200).toISOString()
    const note = await data('POST', '/api/v1/notes', { body: { title: 'x', publish_at } })
    await until(
      async () => (await data('GET', `/api/v1/notes/${note.id}?status=all`)).status !== 'draft',
    )
    for (const file of [id, replaced.id]) await assertWhole(server, file)
    assert.doesNotMatch(server.log(), /got its formats|gets? no formats/)
    await server.kill()
  })

  test('cms-rest 15: where sharp is missing the log says so once, and uploads go on', async () => {
    const own = await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
    const server = await startServer(own, { root: withoutSharp(), migrates: kind !== 'sqlite' })
    const first = await upload(server, 'first.png')
    await until(() => UNABLE.test(server.log()))
    const second = await upload(server, 'second.png')
    for (const { id } of [first, second]) await assertWhole(server, id)
    const lines = server
      .log()
      .split('\n')
      .filter((line) => UNABLE.test(line))
    assert.equal(lines.length, 1, lines.join('\n'))
    const { level, reason } = JSON.parse(lines[0] ?? '{}')
    assert.equal(level, 40)
    assert.match(reason, /sharp/)
    await server.kill()
  })
})
