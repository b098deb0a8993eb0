import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ADMIN_KEY, type DatabaseKind, installation, startServer, until } from '#test-kit'

for (const kind of ['sqlite', 'postgres'] satisfies DatabaseKind[]) {
  test(`content-model 5: a form whose server is killed before it is whole leaves no bytes (${kind})`, async () => {
    const server = await startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY }))
    const uploads = join(server.dataDir, 'uploads')
    const listed = (directory: string) => (existsSync(directory) ? readdirSync(directory) : [])
    const incoming = () => listed(join(uploads, '.incoming'))
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname).on('error', () => {})
    socket.write(
      `POST /api/upload HTTP/1.1\r\nhost: x\r\nx-api-key: ${ADMIN_KEY}\r\n` +
        'content-type: multipart/form-data; boundary=B\r\ncontent-length: 1000000\r\n\r\n' +
        `${part('one.txt', 'whole')}\r\n${part('two.txt', 'whole')}\r\n${part('three.txt', 'half')}`,
    )
    await until(() => incoming().length === 3, { what: 'three files on the disk' })
    assert.deepEqual(listed(uploads), ['.incoming'], 'nothing under its final name')
    server.signal('SIGKILL')
    await server.restart()
    assert.deepEqual(listed(uploads), ['.incoming'])
    // Where several nodes may share a directory, what one of them has begun is known by its age alone.
    if (kind === 'sqlite') assert.deepEqual(incoming(), [])
    socket.destroy()
  })
}

test('content-model 5: what a server leaves that is killed before its commit is removed, and no file', async () => {
  const server = await startServer(await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY }))
  const uploads = join(server.dataDir, 'uploads')
  const stored = () => readdirSync(uploads).filter((name) => name !== '.incoming')
  const headers = { 'x-api-key': ADMIN_KEY }
  const send = (text: string) => {
    const body = new FormData()
    body.set('file', new Blob([text]), 'a.txt')
    return fetch(`${server.url}/api/v1/media`, { method: 'POST', body, headers })
  }
  const { data: kept } = JSON.parse(await (await send('kept')).text())
  assert.equal(stored().length, 1)

  // Nobody commits while another one writes.
  const lock = new DatabaseSync(join(server.dataDir, 'entrepot.db'), { timeout: 10_000 })
  lock.exec('begin immediate')
  const unanswered = [
    send('never a file'),
    fetch(`${server.url}/api/v1/media/${kept.id}`, { method: 'DELETE', headers }),
  ].map((answer) => answer.catch(() => 'cut off'))
  await until(() => stored().length === 2, { what: 'bytes under their final name' })
  await until(() => readdirSync(join(uploads, '.incoming')).length === 2, { what: 'both in doubt' })
  server.signal('SIGKILL')
  assert.deepEqual(await Promise.all(unanswered), ['cut off', 'cut off'])
  lock.close()

  await server.restart()
  assert.deepEqual(stored(), [kept.url.split('/').at(-1)])
  assert.deepEqual(readdirSync(join(uploads, '.incoming')), [])
  assert.equal(await (await fetch(server.url + kept.url)).text(), 'kept')
})

function part(name: string, text: string): string {
  return `--B\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\n${text}`
}
