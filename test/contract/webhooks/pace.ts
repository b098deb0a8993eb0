import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test-kit'
import { SCHEDULE_S, webhookSuite } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'
const EVENTS = 20

/** `ordered` and `max_per_second` (webhooks contract §13). */
export const pace = webhookSuite('order and pace', (api) => {
  const { receiver, subscribe, publish, must, patch, server, settled } = api
  const endpoint = (path: string) => receiver().url + path
  const sequences = (path: string) =>
    receiver()
      .on(path)
      .map(({ body }) => body.sequence)

  test('webhooks 13: `ordered` and `max_per_second` are shown and can be changed', async () => {
    const { id } = await subscribe(endpoint('/shown'), { ordered: true, max_per_second: 2.5 })
    const path = `${SUBSCRIPTIONS}/${id}`
    const shown = await must('GET', path)
    assert.deepEqual([shown.ordered, shown.max_per_second, shown.auto_resume], [true, 2.5, false])
    const { body: changed } = await patch(path, {
      ordered: false,
      max_per_second: null,
      auto_resume: true,
    })
    assert.deepEqual(
      [changed.ordered, changed.max_per_second, changed.auto_resume],
      [false, null, true],
    )
    assert.ok(changed.updated_at > shown.updated_at)
    const { data } = await must('GET', SUBSCRIPTIONS)
    assert.equal(data[0].auto_resume, true)
    await api.remove(path)
  })

  test('webhooks 13: an ordered subscription gets one at a time, in sequence', async () => {
    let under = 0
    let most = 0
    receiver().answer('/ordered', (_, response) => {
      most = Math.max(most, ++under)
      setTimeout(() => {
        under--
        response.end()
      }, 5)
    })
    const { id } = await subscribe(endpoint('/ordered'), { ordered: true })
    await Promise.all(Array.from({ length: EVENTS }, (_, n) => publish({ n })))
    await receiver().waitFor('/ordered', EVENTS)
    await settled(id, 'succeeded', EVENTS)
    assert.deepEqual(
      sequences('/ordered'),
      Array.from({ length: EVENTS }, (_, n) => n + 1),
    )
    assert.equal(most, 1)
    await api.remove(`${SUBSCRIPTIONS}/${id}`)
  })

  test('webhooks 13: in order, the next one waits until the former one is final', async () => {
    const { id } = await subscribe(endpoint('/waits'), { ordered: true })
    receiver().answer('/waits', ({ body }, response) => {
      response.writeHead(body.sequence === 2 ? 500 : 200).end()
    })
    for (let n = 0; n < 4; n++) await publish({ n })
    const tried = (count: number) =>
      until(
        async () => {
          const { data } = await api.deliveries(id, '?is_test=false')
          const second = data.find((one: { sequence: number }) => one.sequence === 2)
          return second?.attempt_count === count && second
        },
        { what: `${count} attempts` },
      )
    let offsetMs = 0
    for (const at of SCHEDULE_S.keys()) {
      const { next_attempt_at } = await tried(at + 1)
      // Whoever looks at the lane finds nothing to send but a test.
      await must('POST', `${SUBSCRIPTIONS}/${id}/test?wait=true`)
      assert.ok(!sequences('/waits').includes(3), 'the third one waits')
      offsetMs = Date.parse(next_attempt_at) - Date.now() + 1
      await server().setClockOffset(offsetMs)
    }
    await receiver().waitFor('/waits', 6)
    assert.deepEqual(sequences('/waits'), [1, 2, 2, 2, 3, 4])
    const { data } = await api.deliveries(id, '?is_test=false&status=failed')
    assert.deepEqual(
      data.map((one: { sequence: number }) => one.sequence),
      [2],
    )
    await api.remove(`${SUBSCRIPTIONS}/${id}`)
  })

  test('webhooks 13: without order those behind need not wait any longer', async () => {
    receiver().answer('/freed', ({ body }, response) => {
      response.writeHead(body.sequence === 1 ? 500 : 200).end()
    })
    const { id } = await subscribe(endpoint('/freed'), { ordered: true })
    for (let n = 0; n < 3; n++) await publish({ n })
    await receiver().waitFor('/freed', 1)
    await patch(`${SUBSCRIPTIONS}/${id}`, { ordered: false })
    await settled(id, 'succeeded', 2)
    await api.remove(`${SUBSCRIPTIONS}/${id}`)
  })

  test('webhooks 13: `max_per_second` spaces requests evenly', async () => {
    const perSecond = 10
    const { id } = await subscribe(endpoint('/paced'), { max_per_second: perSecond })
    for (let n = 0; n < EVENTS; n++) await publish({ n })
    const arrived = await receiver().waitFor('/paced', EVENTS)
    const { data } = await api.deliveries(id, '?is_test=false&include=attempts&per_page=100')
    const started: number[] = data
      .flatMap((one: { attempts: readonly { started_at: string }[] }) => one.attempts)
      .map((one: { started_at: string }) => Date.parse(one.started_at))
      .toSorted((a: number, b: number) => a - b)
    for (const [at, ms] of started.entries()) {
      const gapMs = ms - (started[at - 1] ?? Number.NEGATIVE_INFINITY)
      // Both times are cut off to the millisecond.
      assert.ok(gapMs >= 1000 / perSecond - 1, `${gapMs} ms after the one before`)
    }
    const tookMs = (arrived.at(-1)?.atMs ?? 0) - (arrived[0]?.atMs ?? 0)
    assert.ok(tookMs >= (EVENTS - 1) * (1000 / perSecond) - 100, `${tookMs} ms`)
    await api.remove(`${SUBSCRIPTIONS}/${id}`)
  })
})
