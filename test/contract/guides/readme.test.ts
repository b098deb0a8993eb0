import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { followDocument, installation, startServer, temporaryDirectory } from '#test-kit'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

describe('README', () => {
  test('operation finding 21: every block works on an empty server, in order, and prints what it says', async () => {
    const server = await startServer(await installation('sqlite', { ENTREPOT_STARTER: 'types' }))
    const { ENTREPOT_PORT: port = '', ENTREPOT_GATEWAY_PORT: gatewayPort = '' } = server.env
    await followDocument('README.md', {
      cwd: temporaryDirectory(),
      env: server.env,
      names: {
        '127.0.0.1:8080': `127.0.0.1:${port}`,
        '127.0.0.1:9080': `127.0.0.1:${gatewayPort}`,
      },
      // As it is done by a test of the program.
      done: ['npm start'],
    })
  })

  test('operation finding 21: what it links to is there', () => {
    const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
    for (const [, path = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      assert.ok(existsSync(join(ROOT, path)), path)
    }
  })
})
