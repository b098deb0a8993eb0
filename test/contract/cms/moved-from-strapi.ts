import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCli } from '#cli'
import { ADMIN_KEY, contentSuite, createCalls } from '#test-kit'
import { comparable, firstDifferences } from '../../strapi/compare.ts'
import { BY_DOCUMENT, READS, type Read } from '../../strapi/reads.ts'
import {
  AS_IT_WAS,
  type OldStrapi,
  type RecordedAnswer,
  startRecorded,
} from '../../strapi/recorded.ts'
import type { CmsServer } from './support.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/entrepot.mjs', import.meta.url))
const PROJECT = fileURLToPath(new URL('../../../bench/peers/magazine', import.meta.url))
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
    let planned = ''
    // What a hook starts ends with the hook; bound here, it belongs to the `describe`.
    const begin = AsyncResource.bind(start)
    before(async () => {
      strapi = await begin()
    })

    test('content-dialects 12: a dry run lists what cannot come over, and changes nothing', async () => {
      const { code, output } = await run(['--dry-run'])
      planned = output
      assert.equal(code, 0, output)
      assert.match(output, /^articles \(de\): 280 entries$/m)
      for (const name of ['page.about', 'author.account', 'author.secret', 'category.path']) {
        assert.match(output, new RegExp(`^ {2}${name} `, 'm'))
      }
      assert.match(output, /^Nothing was changed\.$/m)
      assert.equal((await calls.ok('GET', '/api/v1/content-types')).meta.total, 0)
    })

    test('content-dialects 12: a wrong token and a URL that is none are told with what to do', async () => {
      const refused = await run(['--token', 'wrong'])
      assert.equal(refused.code, 1)
      assert.match(refused.output, /Full access/)
      const none = await run([], 'strapi')
      assert.equal(none.code, 2)
      assert.match(none.output, /not the URL/)
    })

    test('content-dialects 12: types come from the files of the project where the server does not show them', async () => {
      strapi.instead = (path, answer) =>
        path.startsWith('/api/content-type-builder/') ? FORBIDDEN : answer
      const hidden = await run(['--dry-run'])
      assert.equal(hidden.code, 1)
      assert.match(hidden.output, /does not show its types: .*--schema/)
      const read = await run(['--dry-run', '--schema', PROJECT])
      assert.equal(read.code, 0, read.output)
      assert.deepEqual(linesOf(read.output), linesOf(planned))
      const wrong = await run(['--dry-run', '--schema', join(PROJECT, 'config')])
      assert.equal(wrong.code, 1)
      assert.match(wrong.output, /name the directory of the Strapi project/)
      strapi.instead = AS_IT_WAS
    })

    test('content-dialects 12: a Strapi 4 is refused with what to do, before anything is written', async () => {
      strapi.instead = (path, answer) => (isOfEntries(path) ? asVersion4(answer) : answer)
      const { code, output } = await run([])
      strapi.instead = AS_IT_WAS
      assert.equal(code, 1, output)
      assert.match(output, /this is Strapi 4. Bring the project to Strapi 5 first/)
      assert.equal((await calls.ok('GET', '/api/v1/content-types')).meta.total, 0)
      assert.equal((await calls.ok('GET', '/api/v1/media')).meta.total, 0)
    })

    test('content-dialects 12: killed among files, documents and entries, it goes on and nothing is doubled', async () => {
      for (const place of [
        /^\/uploads\//,
        /^\/api\/articles\?status=draft&locale=de&filters/,
        /populate.*cover/,
      ]) {
        assert.equal(await killedAt(place), null)
      }
      const { code, output, progress } = await run([])
      assert.equal(code, 0, output)
      assert.match(output, /^articles \(en\): \d+ brought over, \d+ there already$/m)
      for (const step of [
        /^files: \d+$/,
        /^pages: \d+ documents$/,
        /^articles \(de\): \d+ entries$/,
      ]) {
        assert.ok(
          progress.some((text) => step.test(text)),
          String(step),
        )
      }
      assert.match(progress.join('\n'), /^authors: order of relations$/m)
      const totals = await Promise.all([
        ...PLURALS.map((plural) => totalOf(`/api/v1/${plural}?locale=all&status=all&per_page=1`)),
        totalOf('/api/v1/media?per_page=1'),
      ])
      assert.deepEqual(totals, [100, 120, 700, 78, 50])
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

    test('content-dialects 12: what was changed here since is left alone, what cannot come over is named and counted', async () => {
      const [author] = await calls.data('GET', '/api/v1/authors?limit=1')
      await calls.ok('PATCH', `/api/v1/authors/${author.id}`, { body: { name: 'Changed here' } })
      const [file] = await calls.data('GET', '/api/v1/media?limit=1')
      await calls.ok('DELETE', `/api/v1/media/${file.id}`)
      strapi.instead = (path, answer) =>
        path.startsWith('/uploads/') ? { ...answer, status: 404 } : answer
      const { code, output } = await run([])
      strapi.instead = AS_IT_WAS
      assert.equal(code, 1, output)
      assert.match(output, /^authors: 0 brought over, 99 there already, 1 left as they are/m)
      const { name } = await calls.data('GET', `/api/v1/authors/${author.id}`)
      assert.equal(name, 'Changed here')
      assert.match(output, new RegExp(`^file ${file.name}: /uploads/.* cannot be fetched$`, 'm'))
      assert.match(output, /^files: 0 brought over, 49 there already$/m)
      assert.match(output, /^1 could not be brought over; run it again when they are mended$/m)
    })

    test('content-dialects 12: an import that is repeated finds everything there, but what could not come before', async () => {
      const { code, output } = await run([])
      assert.equal(code, 0, output)
      assert.match(output, /^files: 1 brought over, 49 there already$/m)
      const brought = output.replace(/^files: .*/m, '').match(/\d+ brought over/g) ?? []
      assert.ok(brought.length > 5 && brought.every((each) => each === '0 brought over'), output)
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

    /** In this process, as a terminal that somebody watches would see it. */
    async function run(args: readonly string[], from = strapi.url) {
      const lines: string[] = []
      const progress: string[] = []
      const add = (text: string) => void lines.push(text)
      const target = ['--url', server().url, '--key', ADMIN_KEY, '--token', strapi.token]
      const code = await runCli(['import', 'strapi', from, ...target, ...args], {
        ...{ out: add, err: add, write: async (text) => add(text) },
        progress: (text) => void progress.push(text),
      })
      return { code, output: lines.join('\n'), progress }
    }

    /** When the source is asked for such a path a second time. */
    async function killedAt(place: RegExp): Promise<number | null> {
      const child = spawn(process.execPath, [PROGRAM, 'import', 'strapi', strapi.url], {
        env: {
          PATH: process.env['PATH'] ?? '',
          ENTREPOT_CLI_URL: server().url,
          ENTREPOT_CLI_KEY: ADMIN_KEY,
          ENTREPOT_CLI_TOKEN: strapi.token,
        },
      })
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

const FORBIDDEN: RecordedAnswer = {
  ...{ status: 403, type: 'application/json' },
  text: '{"data":null,"error":{"status":403,"name":"ForbiddenError","message":"Forbidden"}}',
}

function isOfEntries(path: string): boolean {
  return /^\/api\/(articles|authors|categories|homepage|pages)\b/.test(path)
}

/** An answer as Strapi 4 would give it: `{ id, attributes }`, and no documentId. */
function asVersion4({ status, type, text, base64 }: RecordedAnswer): RecordedAnswer {
  const { data, ...rest } = JSON.parse(text ?? Buffer.from(base64 ?? '', 'base64').toString())
  const older = ({ id, documentId: _none, ...attributes }: Record<string, unknown>) => {
    return { id, attributes }
  }
  const all = Array.isArray(data) ? data.map(older) : data && older(data)
  return { status, type, text: JSON.stringify({ data: all, ...rest }) }
}

function linesOf(output: string): string[] {
  return output.split('\n').toSorted()
}
