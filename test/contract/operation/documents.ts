import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { assertDescribed, assertShown } from '#test-kit'
import type { OperationServer } from './support.ts'

const DOCUMENTS = [
  ...['/api/v1/openapi.json', '/openapi/cms.json', '/openapi/jsonapi.json'],
  ...['/cms/openapi/delivery.json', '/openapi/commerce.json', '/openapi/gateway.json'],
]

/**
 * No test has an answer of these to show: they take bytes (JSON:API's related) or links that only relationships to
 * many have; of the kinds of media one stands for all.
 */
const WITHOUT = new RegExp(
  [
    // The bytes of a file.
    '^get /api/v1/overview/backups/{name}$',
    '^post /jsonapi/node/[^/]+/{id}/[^/]+$',
    '^(post|delete) /jsonapi/node/[^/]+/{id}/relationships/',
    '^post /jsonapi/media/',
    '^\\w+ /jsonapi/media/(image|video|audio)',
  ].join('|'),
)

const EXAMPLES: Readonly<Record<string, string>> = {
  ...{ '/api/v1/openapi.json': 'rest', '/openapi/cms.json': 'cms' },
  ...{ '/openapi/jsonapi.json': 'jsonapi', '/cms/openapi/delivery.json': 'delivery' },
  ...{ '/openapi/commerce.json': 'commerce', '/openapi/gateway.json': 'gateway' },
}

/** `get /api/v1/keys/{id}`, of content types `get /api/v1/{type}`. */
function examplesOf(document: string): string[] {
  const file = new URL(`../../../src/recorded-examples/${EXAMPLES[document]}.json`, import.meta.url)
  return Object.keys(JSON.parse(readFileSync(file, 'utf8')).operations)
}

/** Those of content types stand for every type that has such an operation. */
function isThere(operation: string, there: ReadonlySet<string>): boolean {
  if (there.has(operation)) return true
  const named = operation.split(/\{(?:type|media|relations?)\}/)
  const pattern = new RegExp(`^${named.map(RegExp.escape).join('[^/]+')}$`)
  return named.length > 1 && [...there].some((each) => pattern.test(each))
}

export function documentsSuite({ call }: OperationServer): void {
  describe('documents of all interfaces', () => {
    for (const path of DOCUMENTS) {
      test(`operation finding 20: ${path} is valid and has words for every operation`, async () => {
        const { status, body } = await call('GET', path, { key: null })
        assert.equal(status, 200)
        const { valid, errors } = await new Validator().validate(structuredClone(body))
        assert.ok(valid, String(JSON.stringify(errors)).slice(0, 2_000))
        assertDescribed(body)
        assertShown(body, WITHOUT)
      })
    }

    test('operation finding 20: no example is of an operation that is gone', async () => {
      const gone: string[] = []
      for (const path of DOCUMENTS) {
        const { body } = await call('GET', path, { key: null })
        const there = new Set(
          Object.entries<object>(body.paths).flatMap(([at, item]) =>
            Object.keys(item).map((method) => `${method} ${at}`),
          ),
        )
        gone.push(...examplesOf(path).filter((operation) => !isThere(operation, there)))
      }
      assert.deepEqual(gone, [], 'run "npm run docs:examples"')
    })

    test('operation finding 20: the page of the reference lists them all', async () => {
      const { body } = await call('GET', '/docs/start.js', { key: null })
      const [, text = ''] = /createApiReference\('#reference', (.*)\)/.exec(body) ?? []
      const sources: { url: string }[] = JSON.parse(text).sources
      assert.deepEqual(sources.map(({ url }) => url).sort(), DOCUMENTS.toSorted())
    })

    test('operation finding 20: no document offers to post what has no id of its own', async () => {
      const { body } = await call('GET', '/openapi/gateway.json', { key: null })
      const posted = Object.keys(body.paths).filter((path) => body.paths[path].post)
      for (const path of posted.filter((each) => !each.includes('{'))) {
        const { status } = await call('POST', path, { body: {} })
        assert.notEqual(status, 405, path)
      }
      const metadata = body.paths['/gateway/admin/plugin_metadata']
      assert.deepEqual(Object.keys(metadata), ['get'])
    })

    test('operation finding 20: what a document says can be read is there', async () => {
      for (const document of DOCUMENTS.filter((path) => path.startsWith('/openapi/'))) {
        const { body } = await call('GET', document, { key: null })
        const paths = Object.keys(body.paths).filter((path) => !path.includes('{'))
        for (const path of paths.filter((each) => body.paths[each].get)) {
          const { status } = await call('GET', path)
          // A search wants criteria, a single type an entry.
          assert.ok([200, 400, 404].includes(status), `${path}: ${status}`)
        }
      }
    })
  })
}
