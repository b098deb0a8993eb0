import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import { scraperSuite } from './support.ts'

interface Sent {
  readonly id: string | null
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: each event has data of its own
  readonly data: any
}

export const progress = scraperSuite('progress', (api) => {
  test('scrapers 20: progress, items and done arrive; a client that comes back misses nothing', async () => {
    const { url } = api.site()
    const id = await api.create({ url: `${url}/p/0`, rate_limit: 30, crawl: { max_depth: 9 } })
    const runId = await api.start(id)
    const path = `/api/v1/scrapers/${id}/runs/${runId}/events`
    const first = await read(
      path,
      {},
      (sent) => sent.filter(({ event }) => event === 'item').length >= 5,
    )
    const lastId = first.findLast((each) => each.id !== null)?.id ?? '0'
    const rest = await read(path, { 'last-event-id': lastId })
    const items = [...first, ...rest].filter(({ event }) => event === 'item')
    assert.equal(new Set(items.map(({ data }) => data.id)).size, 20)
    assert.equal(items.length, 20)
    const done = rest.at(-1)
    assert.deepEqual(
      [done?.event, done?.data.status, done?.data.items_collected],
      ['done', 'completed', 20],
    )
    assert.ok(first.some(({ event }) => event === 'progress'))
    const ids = items.map((each) => Number(each.id))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    const replayed = await read(path, {})
    assert.equal(replayed.filter(({ event }) => event === 'item').length, 20)
    assert.equal(replayed.at(-1)?.event, 'done')
    const both = 'last_event_id=1&last_event_id=2'
    const twice = await api.call('GET', `/scrapers/${id}/runs/${runId}/events?${both}`)
    assert.deepEqual([twice.status, twice.body.error.code], [400, 'invalid_parameter'])
  })

  /** Until the server ends the stream, or enough was heard. */
  async function read(
    path: string,
    headers: Record<string, string>,
    isEnough: (sent: readonly Sent[]) => boolean = () => false,
  ): Promise<Sent[]> {
    const leaving = new AbortController()
    const answer = await fetch(`${api.server().url}${path}`, {
      headers: { 'x-api-key': ADMIN_KEY, ...headers },
      signal: leaving.signal,
    })
    assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const sent: Sent[] = []
    let rest = ''
    for await (const chunk of answer.body ?? []) {
      rest += Buffer.from(chunk).toString()
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      sent.push(...blocks.flatMap(parseBlock))
      if (isEnough(sent)) break
    }
    leaving.abort()
    return sent
  }
})

function parseBlock(block: string): Sent[] {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 2)] as const
    }),
  )
  const event = fields.get('event')
  if (event === undefined) return []
  return [{ id: fields.get('id') ?? null, event, data: JSON.parse(fields.get('data') ?? 'null') }]
}
