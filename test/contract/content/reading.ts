import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Caller } from './support.ts'

const TYPES = [
  { singularName: 'mark', pluralName: 'marks', attributes: { name: { type: 'string' } } },
  {
    singularName: 'word',
    pluralName: 'words',
    attributes: {
      text: { type: 'string' },
      same: { type: 'boolean' },
      marks: { type: 'relation', relation: 'manyToMany', target: 'mark' },
    },
  },
]
const TEXTS = [
  ...[
    'ИВАН',
    'иван',
    'ÉTÉ',
    'été',
    'e\u0301te\u0301',
    'ΟΔΟΣ',
    'ΟΔΟΣΑ',
    'οδος',
    'STRASSE',
    'straße',
  ],
  ...['AB', 'ab', 'aB c', '100%', '1000', 'a_b', 'acb', 'a\\b'],
]
const COUNT = 50

/** Filters and pages over HTTP, on a server that others use too. */
export function reading({ call, data }: Caller) {
  const makeAll = async (plural: string, items: readonly object[]): Promise<number[]> => {
    const operations = items.map((item) => ({ op: 'create', data: item }))
    const { body } = await call('POST', `/api/v1/${plural}/bulk`, { body: { operations } })
    assert.equal(body.meta?.created, items.length, JSON.stringify(body).slice(0, 500))
    return body.data.map(({ id }: { id: number }) => id)
  }

  describe('reading', () => {
    before(async () => {
      await data('POST', '/api/v1/content-types/batch', { body: { contentTypes: TYPES } })
      const marks = await makeAll(
        'marks',
        ['x', 'y', 'z'].map((name) => ({ name })),
      )
      const filled = Array.from({ length: COUNT }, (_, at) => ({
        text: TEXTS[at] ?? `other ${at}`,
        same: true,
        marks: marks.slice(0, at % 4),
      }))
      await makeAll('words', filled)
    })

    const found = async (filter: string, value: string): Promise<string[]> => {
      const query = new URLSearchParams({ [`filters[text][${filter}]`]: value })
      const entries = await data('GET', `/api/words?${query}`)
      return entries.map(({ attributes }: { attributes: { text: string } }) => attributes.text)
    }

    test('content-model 10: case is folded in every script, and only where it is asked for', async () => {
      for (const [filter, value, expected] of [
        ['$eqi', 'ИВАН', ['ИВАН', 'иван']],
        ['$eqi', 'ÉTÉ', ['ÉTÉ', 'été', 'e\u0301te\u0301']],
        ['$containsi', 'ΟΔΟΣ', ['ΟΔΟΣ', 'ΟΔΟΣΑ', 'οδος']],
        ['$eqi', 'strasse', ['STRASSE']],
        ['$eqi', 'STRAßE', ['straße']],
        ['$contains', 'B', ['AB', 'aB c']],
        ['$containsi', '100%', ['100%']],
        ['$containsi', 'A_b', ['a_b']],
        ['$endsWith', 'a\\b', ['a\\b']],
      ] as const) {
        const seen = await found(filter, value)
        assert.deepEqual(seen.toSorted(), [...expected].toSorted(), `${filter} ${value}`)
      }
    })

    test('content-model 11: equal sort values over pages of 7 show each entry exactly once', async () => {
      for (const sort of ['same:desc', 'marks.name:desc']) {
        const seen: number[] = []
        for (let page = 1; page <= Math.ceil(COUNT / 7); page++) {
          const paging = `pagination[page]=${page}&pagination[pageSize]=7`
          const { status, body } = await call('GET', `/api/words?sort=${sort}&${paging}`)
          assert.equal(status, 200, JSON.stringify(body))
          assert.equal(body.meta.pagination.total, COUNT, sort)
          seen.push(...body.data.map(({ id }: { id: number }) => id))
        }
        assert.equal(seen.length, COUNT, sort)
        assert.equal(new Set(seen).size, COUNT, sort)
      }
    })
  })
}
