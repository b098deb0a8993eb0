import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
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

function part(name: string, text: string): string {
  return `--B\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\n${text}`
}
