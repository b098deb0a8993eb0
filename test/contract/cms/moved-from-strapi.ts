import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ADMIN_KEY, contentSuite, createCalls } from '#test-kit'
import { comparable, firstDifferences } from '../../strapi/compare.ts'
import { BY_DOCUMENT, READS, type Read } from '../../strapi/reads.ts'
import { type OldStrapi, startRecorded } from '../../strapi/recorded.ts'
import type { CmsServer } from './support.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/entrepot.mjs', import.meta.url))
const FLAT = { 'response-format': 'flat' }
const PLURALS = ['authors', 'categories', 'articles', 'pages']

/** content-dialects 12: a project of five types, two languages, 1,000 entries and 50 files moves over. */
export function movedFromStrapi(
  { server }: Pick<CmsServer, 'server'>,
  start: () => Promise<OldStrapi> = startRecorded,
): void {
  const calls = createCalls(() => server().url)
  const prepare = async () => {}
  contentSuite('moved from Strapi', calls, { prepare, define })

  function define() {
    let strapi: OldStrapi
    let ids: ReadonlyMap<string, string>
    // What a hook starts ends with the hook; bound here, it belongs to the `describe`.
    const begin = AsyncResource.bind(start)
    before(async () => {
      strapi = await begin()
    })

    test('content-dialects 12: a dry run lists what cannot come over, and changes nothing', async () => {
      const { code, output } = await run(['--dry-run'])
      assert.equal(code, 0, output)
      assert.match(output, /^articles \(de\): 280 entries$/m)
      for (const name of ['page.about', 'author.account', 'author.secret', 'category.path']) {
        assert.match(output, new RegExp(`^ {2}${name} `, 'm'))
      }
      assert.match(output, /^Nothing was changed\.$/m)
      assert.equal((await calls.ok('GET', '/api/v1/content-types')).meta.total, 0)
    })

    test('content-dialects 12: a wrong token and a URL that is none are told with what to do', async () => {
      const refused = await run([], { ENTREPOT_CLI_TOKEN: 'wrong' })
      assert.equal(refused.code, 1)
      assert.match(refused.output, /Full access/)
      const none = await run([], {}, 'strapi')
      assert.equal(none.code, 2)
      assert.match(none.output, /not the URL/)
    })

    test('content-dialects 12: killed among files, documents and entries, it goes on and nothing is doubled', async () => {
      for (const place of [
        /^\/uploads\//,
        /^\/api\/articles\?status=draft&locale=de&filters/,
        /populate.*cover/,
      ]) {
        assert.equal(await killedAt(place), null)
      }
      const { code, output } = await run([])
      assert.equal(code, 0, output)
      assert.match(output, /^articles \(en\): \d+ brought over, \d+ there already$/m)
      const totals = await Promise.all([
        ...PLURALS.map((plural) => totalOf(`/api/v1/${plural}?locale=all&status=all&per_page=1`)),
        totalOf('/api/v1/media?per_page=1'),
      ])
      assert.deepEqual(totals, [100, 120, 700, 78, 50])
    })

    test('content-dialects 12: an import that is repeated finds everything there', async () => {
      const { code, output } = await run([])
      assert.equal(code, 0, output)
      const brought = output.match(/\d+ brought over/g) ?? []
      assert.ok(brought.length > 5 && brought.every((each) => each === '0 brought over'), output)
    })

    test('content-dialects 12: clients read what they read before, every entry in each language and copy', async () => {
      ids = await idsHere()
      assert.ok(READS.length >= 40)
      const faults = []
      for (const read of READS) faults.push(...(await differences(read, read.path)))
      assert.equal(faults.join('\n\n'), '')
    })

    test('content-dialects 12: clients find the same entries by their documentId', async () => {
      for (const list of BY_DOCUMENT) {
        const { data }: { data: { documentId: string }[] } = await there(list.path)
        const [path = '', query = ''] = list.path.split('?')
        const locale = /locale=\w+/.exec(query)?.[0] ?? ''
        for (const { documentId } of data) {
          const asked = `?populate=*${locale && `&${locale}`}`
          const own = `${path}/${ids.get(documentId)}${asked}`
          const read = { ...list, path: `${path}/${documentId}${asked}` }
          assert.deepEqual(await differences(read, own), [])
        }
      }
    })

    test('content-dialects 12: files have the bytes they had', async () => {
      const files: { name: string; url: string; documentId: string }[] = []
      for (const path of new Set(strapi.asked.filter((each) => each.startsWith('/api/upload/')))) {
        files.push(...(await there(path)))
      }
      assert.equal(files.length, 50)
      const { data: own } = await calls.ok('GET', '/api/v1/media?limit=100')
      for (const { name, url } of files) {
        const here = own.find((each: { name: string }) => each.name === name)
        const [one, other] = await Promise.all(
          [`${strapi.url}${url}`, `${server().url}${here.url}`].map(async (each) =>
            Buffer.from(await (await fetch(each)).arrayBuffer()),
          ),
        )
        assert.deepEqual(other, one, name)
      }
    })

    test('content-dialects 12: what was changed here since is left alone', async () => {
      const [{ id }] = await calls.data('GET', '/api/v1/authors?limit=1')
      await calls.ok('PATCH', `/api/v1/authors/${id}`, { body: { name: 'Changed here' } })
      const { output } = await run([])
      assert.match(output, /^authors: 0 brought over, 99 there already, 1 left as they are/m)
      assert.equal((await calls.data('GET', `/api/v1/authors/${id}`)).name, 'Changed here')
    })

    /** What is different, in a few lines. */
    async function differences(read: Read, ownPath: string): Promise<string[]> {
      // A draft has no such time there; here it tells when the entry was published last.
      const hasTime = read.hasDrafts && !read.path.includes('status=draft')
      const expected = comparable(await there(read.path), { ids, hasTime })
      const { status, body } = await calls.call('GET', ownPath, { headers: FLAT })
      if (status !== 200) return [`${ownPath}: ${status} ${JSON.stringify(body)}`]
      const shown = comparable(body, { ids: undefined, hasTime })
      const found = firstDifferences(shown, expected)
      return found.length > 0 ? [[ownPath, ...found].join('\n  ')] : []
    }

    async function there(path: string) {
      const headers = { authorization: `Bearer ${strapi.token}` }
      const answer = await fetch(`${strapi.url}${path}`, { headers })
      assert.equal(answer.status, 200, path)
      return JSON.parse(await answer.text())
    }

    function launch(args: readonly string[], env: Record<string, string>, from: string) {
      const child = spawn(process.execPath, [PROGRAM, 'import', 'strapi', from, ...args], {
        env: {
          PATH: process.env['PATH'] ?? '',
          ENTREPOT_CLI_URL: server().url,
          ENTREPOT_CLI_KEY: ADMIN_KEY,
          ENTREPOT_CLI_TOKEN: strapi.token,
          ...env,
        },
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => (output += text))
      return { child, output: () => output }
    }

    async function run(args: readonly string[], env = {}, from = strapi.url) {
      const { child, output } = launch(args, env, from)
      const [code] = await once(child, 'exit')
      return { code, output: output() }
    }

    /** When the source is asked for such a path a second time. */
    async function killedAt(place: RegExp): Promise<number | null> {
      const { child } = launch([], {}, strapi.url)
      let times = 0
      strapi.onAsked = (path) => {
        if (place.test(path) && ++times === 2) child.kill('SIGKILL')
      }
      const [code] = await once(child, 'exit')
      strapi.onAsked = () => {}
      return code
    }
  }

  async function totalOf(path: string): Promise<number> {
    return (await calls.ok('GET', path)).meta.total
  }

  /** By the id they had, which is their external id. */
  async function idsHere(): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>()
    for (const plural of [...PLURALS, 'homepage']) {
      for (let after = 0; ; ) {
        const path = `/api/v1/${plural}?locale=all&status=all&limit=100&after_id=${after}`
        const data = [
          await calls.data('GET', plural === 'homepage' ? `/api/v1/${plural}?status=all` : path),
        ].flat()
        for (const { external_id, document_id } of data) ids.set(external_id, document_id)
        if (data.length < 100) break
        after = data.at(-1).id
      }
    }
    return ids
  }
}
