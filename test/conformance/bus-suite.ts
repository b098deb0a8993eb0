// What every bus promises, whoever carries the notices. An implementation's test gives it members
// in several threads or processes; `memberOf` makes one of a bus.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Bus, type BusMessage, MAX_NOTICE_BYTES } from '../../src/kernel/bus/port.ts'

/** Somebody on the bus, in this thread or far away. */
export interface BusMember {
  publish(topic: string, message: BusMessage): Promise<void>
  /** Resolves when notices of the topic are being collected. */
  subscribe(topic: string): Promise<void>
  unsubscribe(topic: string): Promise<void>
  /** All notices of the topic so far, as soon as there are so many. */
  received(topic: string, count: number): Promise<readonly BusMessage[]>
}

export function memberOf(bus: Bus): BusMember {
  const topics = new Map<string, { received: BusMessage[]; end(): void }>()
  let changed = Promise.withResolvers<void>()
  return { publish: bus.publish, subscribe, unsubscribe, received }

  async function subscribe(topic: string) {
    const received: BusMessage[] = []
    const end = bus.subscribe(topic, (message) => {
      received.push(message)
      changed.resolve()
      changed = Promise.withResolvers()
    })
    topics.set(topic, { received, end })
  }

  async function unsubscribe(topic: string) {
    topics.get(topic)?.end()
  }

  async function received(topic: string, count: number) {
    const list = topics.get(topic)?.received ?? assert.fail(`not subscribed to ${topic}`)
    while (list.length < count) await changed.promise
    return list
  }
}

export interface BusCluster {
  readonly members: readonly BusMember[]
  close(): Promise<void>
}

const EACH = 200

/** Runs the promises of the port on members that the implementation connects. */
export function testBus(name: string, open: () => Promise<BusCluster>): void {
  describe(name, { timeout: 60_000 }, () => {
    let cluster: BusCluster
    before(async () => {
      cluster = await open()
    })
    after(() => cluster.close())

    test('a notice of anyone reaches everyone once, the publisher included', async () => {
      await all((member) => member.subscribe('once'))
      const expected: number[] = []
      for (const round of [0, 1, 2]) {
        for (const [index, member] of cluster.members.entries()) {
          expected.push(round * 100 + index)
          await member.publish('once', round * 100 + index)
          await all((each) => each.received('once', expected.length))
        }
      }
      for (const received of await all((member) => member.received('once', 0))) {
        assert.deepEqual(received, expected)
      }
    })

    test('notices of one publisher arrive in order, also when all publish at once', async () => {
      await all((member) => member.subscribe('order'))
      await all(async (member, from) => {
        await Promise.all(numbers(EACH).map((n) => member.publish('order', [from, n])))
      })
      const total = EACH * cluster.members.length
      for (const received of await all((member) => member.received('order', total))) {
        for (const from of cluster.members.keys()) {
          const own = received.filter((message) => Array.isArray(message) && message[0] === from)
          const expected = numbers(EACH).map((n) => [from, n])
          assert.deepEqual(own, expected)
        }
      }
    })

    test('messages of every kind arrive as they were', async () => {
      const kinds = [null, true, 1.5, '', 'ß \u{1f6a2} \0 "\\', [], {}, { a: [{ b: null }] }]
      await all((member) => member.subscribe('kinds'))
      for (const message of kinds) await first().publish('kinds', message)
      for (const received of await all((member) => member.received('kinds', kinds.length))) {
        assert.deepEqual(received, kinds)
      }
    })

    test('only subscribers of the topic receive, and none after they unsubscribed', async () => {
      await all((member) => member.subscribe('ended'))
      await all((member) => member.subscribe('other'))
      await first().publish('ended', 'in time')
      await all((member) => member.received('ended', 1))
      await all((member) => member.unsubscribe('ended'))
      await first().publish('ended', 'late')
      await first().publish('other', 'last')
      for (const member of cluster.members) {
        assert.deepEqual(await member.received('other', 1), ['last'])
        assert.deepEqual(await member.received('ended', 1), ['in time'])
      }
    })

    test('the largest notice passes and a larger one is refused and reaches nobody', async () => {
      // Bytes count, not characters: each of these has three, the quotes two.
      const fits = '€'.repeat((MAX_NOTICE_BYTES - 2) / 3)
      await all((member) => member.subscribe('large'))
      for (const member of cluster.members) {
        await assert.rejects(member.publish('large', `${fits}€`), /at most 7000 bytes/)
      }
      await first().publish('large', fits)
      for (const received of await all((member) => member.received('large', 1))) {
        assert.deepEqual(received, [fits])
      }
    })

    function first(): BusMember {
      return cluster.members[0] ?? assert.fail('no members')
    }

    function all<T>(work: (member: BusMember, index: number) => Promise<T>): Promise<T[]> {
      return Promise.all(cluster.members.map(work))
    }
  })
}

function numbers(count: number): number[] {
  return [...Array(count).keys()]
}
