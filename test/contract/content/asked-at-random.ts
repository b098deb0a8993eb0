import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createDice } from '../../conformance/content-query/random.ts'
import { storeSuite } from './support.ts'

const NODES = '/jsonapi/node/item'
const DELIVERED = '/cms/delivery/api/v2/content'
const ROUNDS = 120

/** Texts that differ by case, by script and by what UTF-16 and code points order differently. */
const TEXTS = [
  ...['a', 'A', 'b', 'B', 'ab', 'aB', 'Ärger', 'ärger', 'zebra', 'Zebra', 'é', 'É'],
  ...['ΣΑΣ', 'σας', '😀', '\uff5a', 'z', '10', '9', 'a b'],
]
const WORDS = ['red', 'Red', 'blue', 'grün', 'GRÜN']

interface Row {
  readonly id: string
  readonly no: number
  readonly label: string | null
  readonly note: string | null
  readonly count: number | null
  readonly words: readonly string[]
}

type Held = (row: Row) => boolean
/** An operator, what it is given, and of which values it is true. */
type Operation = readonly [
  operator: string,
  values: readonly (string | number)[],
  isMet: (value: string | number) => boolean,
]

const NEGATIONS: ReadonlyMap<string, string> = new Map([
  ['=', '<>'],
  ['IN', 'NOT IN'],
  ['BETWEEN', 'NOT BETWEEN'],
  ['IS NOT NULL', 'IS NULL'],
])

const fold = (text: string) => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const byFold = (one: string, other: string) => byBytes(fold(one), fold(other))
/** As lists sort texts: by the folded form, then by the text itself (content model §10.2). */
const inOrder = (one: string, other: string) => byFold(one, other) || byBytes(one, other)

/** Random questions to two dialects, answered also by a few lines of JavaScript. */
export const askedAtRandom = storeSuite(
  'lists of JSON:API and delivery at random',
  ({ call, data }) => {
    const { pick, chance, below: whole } = createDice(20261116)
    const rows: Row[] = []

    before(async () => {
      const attributes = {
        ...{ label: { type: 'string' }, note: { type: 'string' }, count: { type: 'integer' } },
        words: { type: 'tags' },
      }
      await data('POST', '/api/v1/content-types', {
        body: { singularName: 'item', pluralName: 'items', displayField: 'label', attributes },
      })
      for (let no = 0; no < 50; no++) {
        const values = {
          label: chance(1 / 8) ? null : pick(TEXTS),
          note: chance(1 / 4) ? null : pick(TEXTS),
          count: chance(1 / 5) ? null : whole(6),
          words: [...new Set([pick(WORDS), pick(WORDS)])].slice(0, whole(3)),
        }
        const made = await data('POST', '/api/v1/items', { body: values })
        rows.push({ ...values, id: made.document_id, no: made.id })
      }
    })

    /** With what a query is written, and what it means. */
    interface Asked {
      readonly text: string
      readonly held: Held
    }

    function jsonApiCondition(label: string): Asked {
      const path = `filter[${label}][path]`
      const given = (field: string, operator: string, values: readonly (string | number)[]) =>
        [
          `${path}=${field}`,
          `filter[${label}][operator]=${encodeURIComponent(operator)}`,
          ...values.map((value) => `filter[${label}][value][]=${encodeURIComponent(value)}`),
        ].join('&')
      const isText = chance(1 / 2)
      const some = () => (isText ? pick(TEXTS) : pick([0, 1, 1.5, 2, 3.5, 4, -1, 99]))
      const field = isText ? pick(['title', 'note'] as const) : 'count'
      const own = (row: Row) =>
        field === 'title' ? row.label : field === 'note' ? row.note : row.count
      const order = (one: string | number, other: string | number) =>
        typeof one === 'number' ? one - Number(other) : byFold(one, String(other))
      const first = some()
      const second = some()
      const list = Array.from({ length: 1 + whole(20) }, some)
      const [low, high] = order(first, second) <= 0 ? [first, second] : [second, first]
      const has = (how: (own: string, part: string) => boolean) => (value: string | number) =>
        how(fold(String(value)), fold(String(first)))
      const partly: readonly Operation[] = [
        ['CONTAINS', [first], has((own, part) => own.includes(part))],
        ['STARTS_WITH', [first], has((own, part) => own.startsWith(part))],
        ['ENDS_WITH', [first], has((own, part) => own.endsWith(part))],
      ]
      const positive: readonly Operation[] = [
        ['=', [first], (value) => order(value, first) === 0],
        ['>', [first], (value) => order(value, first) > 0],
        ['>=', [first], (value) => order(value, first) >= 0],
        ['<', [first], (value) => order(value, first) < 0],
        ['<=', [first], (value) => order(value, first) <= 0],
        ['IN', list, (value) => list.some((each) => order(value, each) === 0)],
        ['BETWEEN', [low, high], (value) => order(value, low) >= 0 && order(value, high) <= 0],
        ['IS NOT NULL', [], () => true],
        ...(isText ? partly : []),
      ]
      const [operator, values, isMet] = pick(positive)
      const held: Held = (row) => {
        const value = own(row)
        return value !== null && isMet(value)
      }
      const negation = NEGATIONS.get(operator)
      if (negation === undefined || chance(1 / 2))
        return { text: given(field, operator, values), held }
      return { text: given(field, negation, values), held: (row) => !held(row) }
    }

    test('jsonapi 4: random conditions and orders are answered as they read', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const all = [0, 1].slice(0, 1 + whole(2)).map((at) => jsonApiCondition(`a${at}`))
        const some = Array.from({ length: whole(3) }, (_, at) => {
          const { text, held } = jsonApiCondition(`o${at}`)
          return { text: `${text}&filter[o${at}][memberOf]=g`, held }
        })
        const group = some.length > 0 ? ['filter[g][group][conjunction]=OR'] : []
        const isDown = chance(1 / 2)
        const query = [...[...all, ...some].map(({ text }) => text), ...group].join('&')
        const { status, body } = await call(
          'GET',
          `${NODES}?sort=${isDown ? '-' : ''}note&${query}`,
        )
        assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`)
        const expected = rows
          .filter((row) => all.every(({ held }) => held(row)))
          .filter((row) => some.length === 0 || some.some(({ held }) => held(row)))
          .toSorted((one, other) => byNote(one, other, isDown, 'last') || one.no - other.no)
        assert.deepEqual(
          body.data.map(({ id }: { id: string }) => id),
          expected.map(({ id }) => id),
          decodeURIComponent(query),
        )
      }
    })

    function byNote(one: Row, other: Row, isDown: boolean, nulls: 'last' | 'lowest'): number {
      if (one.note === null || other.note === null) {
        const by = Number(one.note === null) - Number(other.note === null)
        return nulls === 'last' ? by : isDown ? by : -by
      }
      const by = inOrder(one.note, other.note)
      return isDown ? -by : by
    }

    function deliveryExpression(): Asked {
      const isNegated = chance(1 / 3)
      const quoted = (value: string | number) =>
        typeof value === 'number' ? String(value) : `"${value.replaceAll('"', '""')}"`
      const several = <Item>(from: readonly Item[]) =>
        Array.from({ length: 1 + whole(20) }, () => pick(from))
      const listed = (field: string, values: readonly (string | number)[], isMet: Held): Asked => ({
        text: `${field}:${isNegated ? '!' : ''}${values.map(quoted).join(',')}`,
        held: (row) => isMet(row) !== isNegated,
      })
      switch (whole(5)) {
        case 0: {
          const parts = several(['a', 'Z', 'ä', 'σ', '😀', '1'])
          const isIn = (text: string) => parts.some((part) => fold(text).includes(fold(part)))
          return listed('name', parts, ({ label }) => label !== null && isIn(label))
        }
        case 1: {
          const texts = several(TEXTS)
          const isOne = (text: string) => texts.some((each) => fold(each) === fold(text))
          return listed('properties.note', texts, ({ note }) => note !== null && isOne(note))
        }
        case 2: {
          const words = several(WORDS)
          const wanted = new Set(words.map(fold))
          return listed('properties.words', words, (row) =>
            row.words.some((word) => wanted.has(fold(word))),
          )
        }
        case 3: {
          const counts = several([0, 1, 2.5, 3, 7])
          return listed(
            'properties.count',
            counts,
            ({ count }) => count !== null && counts.includes(count),
          )
        }
        default: {
          const bound = pick([0, 1.5, 2, 4.5])
          const [operator, isMet] = pick([
            ['>', (count: number) => count > bound],
            ['>:', (count: number) => count >= bound],
            ['<', (count: number) => count < bound],
            ['<:', (count: number) => count <= bound],
          ] as const)
          const held: Held = ({ count }) => count !== null && isMet(count)
          return { text: `properties.count${operator}${bound}`, held }
        }
      }
    }

    test('delivery 9: random filters and orders are answered as they read', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const all = Array.from({ length: 1 + whole(3) }, deliveryExpression)
        const isDown = chance(1 / 2)
        const filter = all.map(({ text }) => text).join(',')
        const sort = `properties.note:${isDown ? 'desc' : 'asc'}`
        const query = `take=100&sort=${sort}&filter=${encodeURIComponent(filter)}`
        const { status, body } = await call('GET', `${DELIVERED}?${query}`)
        assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`)
        const expected = rows
          .filter((row) => all.every(({ held }) => held(row)))
          .toSorted((one, other) => byNote(one, other, isDown, 'lowest'))
        const found: Row[] = body.items.flatMap(({ id }: { id: string }) =>
          rows.filter((row) => row.id === id),
        )
        const ids = (list: readonly Row[]) => list.map(({ id }) => id).toSorted()
        assert.deepEqual(ids(found), ids(expected), filter)
        // What is equal stands by its creation, which may be the same millisecond.
        const notes = (list: readonly Row[]) => list.map(({ note }) => note)
        assert.deepEqual(notes(found), notes(expected), filter)
      }
    })
  },
)
