import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseYaml } from '#yaml'
import { gatewaySuite } from './support.ts'

const LIMITS = { maxDepth: 64, maxValues: 100_000 }
const YAML = { 'content-type': 'application/yaml' }
const WHOLE = `
upstreams:
  - id: u
    nodes: {"127.0.0.1:9": 1}
routes:
  - id: 1
    uri: /yaml
    upstream_id: u
    desc: "on"
consumers:
  - username: jack
  - id: jack/credentials/one
    plugins: {key-auth: &auth {key: of-jack}}
`
const bomb = ['a0: &a0 [x]']
for (let n = 1; n < 30; n++) bomb.push(`a${n}: &a${n} [*a${n - 1}, *a${n - 1}, *a${n - 1}]`)

const HOSTILE: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  'aliases of aliases': [bomb.join('\n'), /aliases counted, are too many \(line \d+, column \d+\)/],
  'an endless list': ['['.repeat(1_000_000), /nested deeper than 64 \(line 1, column \d+\)/],
  'a merge key': ['a: &a {b: 1}\nroutes:\n  - <<: *a', /merge keys .+ \(line 3, column 5\)/],
  'a name given twice': ['routes: []\nroutes: []', /routes is given twice \(line 2, column 1\)/],
  'a tag': ['routes: !!js/function "x"', /tags are not possible \(line 1, column 9\)/],
  ['__proto__']: [
    'routes:\n  - __proto__: {id: 1}',
    /__proto__ is not a name \(line 2, column 5\)/,
  ],
  'a broken text': ['routes: [', /invalid request body: .+ \(line \d+, column \d+\)/],
}

export const yamlBodies = gatewaySuite('YAML', ({ admin, send }) => {
  test('gateway protocols: /configs takes YAML by its type and gives it to those who ask', async () => {
    for (const type of ['application/yaml', 'text/yaml; charset=utf-8', 'application/x-yaml']) {
      const headers = { 'content-type': type }
      const valid = await admin('POST', '/configs/validate', { text: WHOLE, headers })
      assert.deepEqual([valid.status, valid.body], [200, {}], type)
    }
    assert.equal((await admin('PUT', '/configs', { text: WHOLE, headers: YAML })).status, 202)
    assert.equal((await send('/yaml')).status, 502)
    const { body: json } = await admin('GET', '/configs')
    assert.equal(json.routes[0].desc, 'on')
    assert.equal(json.credentials[0].plugins['key-auth'].key, 'of-jack')

    const accept = 'application/json;q=0.5, application/yaml'
    const shown = await admin('GET', '/configs', { headers: { accept } })
    assert.equal(shown.headers.get('content-type'), 'application/yaml')
    assert.equal(shown.headers.get('vary'), 'Accept')
    assert.deepEqual(parseYaml(String(shown.body), LIMITS).value, json)
    const back = await admin('PUT', '/configs', { text: String(shown.body), headers: YAML })
    assert.equal(back.status, 202)
    assert.deepEqual((await admin('GET', '/configs')).body, json)
    for (const other of ['*/*', 'application/json', 'application/yaml, application/json']) {
      const answer = await admin('GET', '/configs', { headers: { accept: other } })
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, other)
    }
  })

  test('gateway protocols: findings in YAML are as in JSON, other paths take JSON only', async () => {
    const text = 'routes:\n  - id: r\n    uri: /r\n    upstream_id: none\nstream_routes: []\n'
    const { status, body } = await admin('PUT', '/configs', { text, headers: YAML })
    assert.equal(status, 400)
    assert.deepEqual(body.errors, [
      { resource_type: 'routes', resource_id: 'r', index: 0, error: 'upstream [none] not found' },
    ])
    for (const empty of ['', '# nothing\n', 'routes\n']) {
      assert.equal((await admin('PUT', '/configs', { text: empty, headers: YAML })).status, 400)
    }
    const one = await admin('PUT', '/upstreams/y', { text: 'nodes: {}', headers: YAML })
    assert.match(one.body.error_msg, /it is not JSON/)
  })

  for (const [name, [text, message]] of Object.entries(HOSTILE)) {
    test(`gateway protocols: YAML with ${name} is refused with its place, and nothing is stored`, async () => {
      const { body: before } = await admin('GET', '/configs')
      const { status, body } = await admin('PUT', '/configs', { text, headers: YAML })
      assert.equal(status, 400)
      assert.match(body.error_msg, message)
      assert.ok(body.error_msg.length < 400)
      assert.deepEqual((await admin('GET', '/configs')).body, before)
    })
  }

  test('gateway protocols: YAML of more than 1.5 MiB is 413', async () => {
    const text = `#${'x'.repeat(1.6 * 2 ** 20)}`
    assert.equal((await admin('PUT', '/configs', { text, headers: YAML })).status, 413)
  })
})
