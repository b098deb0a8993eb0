import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '#kernel'
import type { Answer } from './requests.ts'
import { createRobotsFiles } from './robots-files.ts'

const PAGE = new URL('http://site.test/page')
const SECURE = new URL('https://site.test/page')
const DAY_MS = 24 * 3_600_000

test('scrapers 12: a failure that comes late does not displace what is known by then', async () => {
  const late = Promise.withResolvers<Answer>()
  const { robots, asked, goOn } = filesOf([late.promise, fileWith('')])
  const first = robots.of(PAGE)
  goOn(DAY_MS)
  await robots.of(PAGE)
  const failure = { code: 'timeout', message: '', isOfProxy: false, redirects: [] } as const
  late.resolve({ ok: false, ...failure, url: PAGE.href, durationMs: 0 })
  assert.ok('failure' in (await first))
  await robots.of(PAGE)
  assert.equal(asked(), 2)
})

test('scrapers 12: a Crawl-delay ends with the file that asked for it', async () => {
  const files = [fileWith('Crawl-delay: 2'), fileWith(''), fileWith('')]
  const { robots, delays, goOn } = filesOf(files)
  await robots.of(PAGE)
  // The same host by its other scheme has a file of its own.
  await robots.of(SECURE)
  assert.deepEqual(delays, [2_000])
  goOn(DAY_MS)
  await robots.of(PAGE)
  assert.deepEqual(delays, [2_000, 0])
})

test('scrapers 12: the file of an origin that is asked all the time is fetched once, however many others there are', async () => {
  const others = Array.from({ length: 12_000 }, (_, n) => new URL(`http://site-${n}.test/`))
  const { robots, asked } = filesOf([PAGE, ...others].map(() => fileWith('')))
  for (const url of others) {
    await robots.of(PAGE)
    await robots.of(url)
  }
  await robots.of(PAGE)
  assert.equal(asked(), others.length + 1)
})

function filesOf(answers: (Answer | Promise<Answer>)[]) {
  let nowMs = 0
  let asked = 0
  const delays: number[] = []
  const { signal } = new AbortController()
  const robots = createRobotsFiles({
    ...{ signal, random, isRespected: true, maxRetries: 0, now: () => nowMs },
    hosts: { setCrawlDelay: (_, ms) => delays.push(ms), pauseAfter: () => 0 },
    requests: {
      async send() {
        const answer = answers[asked++]
        assert.ok(answer)
        return answer
      },
    },
  })
  const goOn = (ms: number) => {
    nowMs += ms
  }
  return { robots, delays, goOn, asked: () => asked }
}

function fileWith(line: string): Answer {
  const body = Buffer.from(`User-agent: *\n${line}\n`)
  const answered = { ok: true, status: 200, headers: {}, truncated: false } as const
  return {
    ...{ ...answered, body, bodyEnd: 'complete' },
    ...{ url: PAGE.href, redirects: [], durationMs: 0 },
  }
}
