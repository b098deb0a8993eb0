import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Content } from '#content'
import type { LocaleChoice } from '#content-query'
import { DomainError } from '#kernel'
import { eachDatabase } from '#test-kit'
import { findList } from './content-query/ask.ts'
import { counted } from './content-query/counted.ts'
import { type Document, randomDocuments, TEXTS, type TypeName } from './content-query/documents.ts'
import { openStore } from './content-query/open-store.ts'
import { createOracle, type ListQuestion } from './content-query/oracle.ts'
import { createDice, type Dice } from './content-query/random.ts'
import { randomListFilter, randomListSort } from './content-query/random-query.ts'
import { writeRows } from './content-query/write-rows.ts'

const SEED = Number(process.env['SEED'] ?? 20_26)
const QUERIES = Number(process.env['QUERIES'] ?? 300)
const WRITER = { level: 'write' } as const
const TYPES = ['writer', 'topic', 'story'] as const
const PLAIN = { filter: null, search: '', sort: [], start: 0, limit: 1_000 } as const

const documents: readonly Document[] = randomDocuments(createDice(SEED), {
  ...{ writer: 8, topic: 8, story: 24 },
})

eachDatabase('lists over several types', (kind) => {
  const statements: string[] = []
  const written = openStore(kind, (database) => counted(database, statements)).then(
    async ({ database, content }) => {
      await writeRows(database, content.model(), documents)
      return { database, content }
    },
  )
  const opened = written.then(({ content }) => content)

  test('random lists answer what a plain walk over all documents answers', async () => {
    const content = await opened
    for (let n = 0; n < QUERIES; n++) {
      const question = randomQuestion(createDice(SEED + n))
      const { locale } = question
      const oracle = createOracle(documents, locale.kind === 'one' ? locale.code : undefined)
      const expected = oracle.listed(question)
      const text = `seed ${SEED + n}: ${JSON.stringify(question)}`
      const all = await ask(content, question, { start: 0, limit: 1_000 })
      assert.deepEqual(all.shown, expected, text)
      assert.equal(all.total, expected.length, text)
      const start = createDice(SEED + n).below(expected.length + 3)
      const piece = await ask(content, question, { start, limit: 5 })
      assert.deepEqual(piece.shown, expected.slice(start, start + 5), text)
      assert.equal(piece.total, expected.length, text)
    }
  })

  test('content-model 10: every page of a whole list is a piece of it, however it is sorted', async () => {
    const content = await opened
    for (const types of [['story'], ['writer', 'story'], TYPES] as const) {
      for (const path of [['@name'], ['age'], ['createdAt'], ['publishedAt'], ['id']]) {
        for (const order of ['asc', 'desc'] as const) {
          const sort = [{ path, order }] as const
          const locale = { kind: 'one', code: 'en', fallback: [] } as const
          const question = { ...PLAIN, types, state: 'working', locale, sort } as const
          const text = JSON.stringify({ types, path, order })
          const whole = await ask(content, question).catch(refusedName)
          if (!whole) continue
          for (let start = 1; start <= whole.shown.length + 1; start++) {
            const piece = await ask(content, question, { start, limit: 3 })
            assert.deepEqual(piece.shown, whole.shown.slice(start, start + 3), `${text} ${start}`)
            assert.equal(piece.total, whole.total)
          }
        }
      }
    }
  })

  test('a list of no types, of no entries or without a page has its total', async () => {
    const content = await opened
    const question = { types: TYPES, state: 'live', locale: { kind: 'all' }, ...PLAIN } as const
    const total = createOracle(documents).listed(question).length
    assert.deepEqual(await ask(content, question, { start: 0, limit: 0 }), { shown: [], total })
    assert.deepEqual(await ask(content, { ...question, types: [] }), { shown: [], total: 0 })
    const never = { ...question, filter: { kind: 'or', of: [] } } as const
    assert.deepEqual(await ask(content, never), { shown: [], total: 0 })
  })

  test('what can be asked of no type is refused with its reason; of one, it is answered', async () => {
    const content = await opened
    const compare = { kind: 'compare', operator: 'eq', fold: false } as const
    const asked = { types: TYPES, state: 'live', locale: { kind: 'all' }, ...PLAIN } as const
    const refusals = [
      [{ ...compare, field: 'nowhere', values: [1], at: ['filter', 3] }, 'unknown_field'],
      [{ ...compare, field: 'age', values: ['old'], at: ['filter', 3] }, 'wrong_type'],
      [
        { ...compare, field: 'rank', operator: 'contains', values: ['1'], at: ['filter', 3] },
        'not_comparable',
      ],
    ] as const
    for (const [filter, rule] of refusals) {
      await assert.rejects(ask(content, { ...asked, filter }), (error: unknown) => {
        assert.ok(error instanceof Error && 'issues' in error)
        const issues = [{ path: ['filter', 3], rule }]
        assert.partialDeepStrictEqual(error.issues, issues)
        return true
      })
    }
    const sort = [{ path: ['nowhere'], order: 'asc' }] as const
    await assert.rejects(ask(content, { ...asked, sort }), { code: 'invalid_query' })
    await assert.rejects(ask(content, { ...asked, sort: [{ path: ['topics'], order: 'asc' }] }), {
      code: 'invalid_query',
    })
  })

  test("includes and names are each type's own, and types that do not exist leave nothing", async () => {
    const content = await opened
    const model = content.model()
    const [writer, story] = ['writer', 'story'].map((name) => model.findType(name))
    assert.ok(writer && story)
    const include = {
      filter: null,
      sort: [],
      start: 0,
      limit: 100,
      include: [],
      named: false,
    } as const
    const query = {
      ...PLAIN,
      state: 'live',
      locale: { kind: 'all' },
      types: [
        {
          type: writer,
          include: [{ ...include, field: 'stories', depth: 'ids' }],
          names: new Map([['label', 'name']]),
        },
        {
          type: story,
          include: [{ ...include, field: 'writer', depth: 'entries' }],
          names: new Map([['label', 'title']]),
        },
      ],
    } as const
    const named = await findList(content, WRITER, {
      ...query,
      sort: [{ path: ['label'], order: 'desc' }],
    })
    const byName = await findList(content, WRITER, {
      ...query,
      sort: [{ path: ['@name'], order: 'desc' }],
    })
    assert.deepEqual(
      named.entries.map(({ documentId }) => documentId),
      byName.entries.map(({ documentId }) => documentId),
    )
    for (const { type, included } of named.entries) {
      assert.deepEqual([...included.keys()], type === writer ? ['stories'] : ['writer'])
    }
    const isWritten = { kind: 'not', of: { kind: 'missing', field: 'writer' } } as const
    const written = await findList(content, WRITER, { ...query, filter: isWritten })
    assert.ok(written.total > 0)
    const alone = { ...query, exists: (type: typeof story) => type !== writer }
    assert.equal((await findList(content, WRITER, { ...alone, filter: isWritten })).total, 0)
    const { entries } = await findList(content, WRITER, alone)
    assert.ok(entries.every(({ included }) => !included.has('writer')))
  })

  test('a page of many entries needs no more statements than a page of few', async () => {
    const content = await opened
    const question = { types: TYPES, state: 'live', locale: { kind: 'all' }, ...PLAIN } as const
    const counts: number[] = []
    for (const limit of [10, 40]) {
      statements.length = 0
      await ask(content, question, { start: 0, limit })
      counts.push(statements.length)
    }
    // Where all steps of a batch see one moment the total is one of them.
    assert.deepEqual(counts, kind === 'sqlite' ? [2, 2] : [1, 1])
  })

  test('the same list has the same text whatever its values are', async () => {
    const content = await opened
    const texts: string[][] = []
    for (const [code, word, documentId, start] of [
      ['en', 'red wine', 'd1', 1],
      ['fr', 'No  matter', 'd2', 3],
    ] as const) {
      statements.length = 0
      const compare = { kind: 'compare', field: '@name', fold: true, values: [word] } as const
      const placed = { kind: 'placed', axis: 'descendants', of: { documentId } } as const
      const of = [{ ...compare, operator: 'word' }, placed] as const
      const locale = { kind: 'one', code, fallback: [] } as const
      const sort = [{ path: ['age'], order: 'desc' }] as const
      const question = { types: TYPES, state: 'live', search: '', locale, sort } as const
      await ask(content, { ...question, filter: { kind: 'or', of } }, { start, limit: start + 1 })
      texts.push([...new Set(statements)])
    }
    assert.deepEqual(texts[0], texts[1])
  })

  test('lists of one shape answer each for its own values', async () => {
    const content = await opened
    const asked = { types: TYPES, state: 'working', locale: { kind: 'all' }, ...PLAIN } as const
    const compare = { kind: 'compare', field: '@name', operator: 'word', fold: true } as const
    const answers = new Map<string, number>()
    for (const word of ['a', 'ab', 'a', 'nowhere']) {
      const filter = { ...compare, values: [word] }
      const { shown, total } = await ask(content, { ...asked, filter })
      const known = answers.get(word)
      assert.equal(shown.length, total)
      assert.equal(total, known ?? total)
      answers.set(word, total)
    }
    assert.notEqual(answers.get('a'), answers.get('nowhere'))
    assert.equal(answers.get('nowhere'), 0)
  })

  test('copies of an older shape show the attributes of today, each as its own type has them', async () => {
    const { content, database } = await written
    const types = TYPES.flatMap((name) => content.model().findType(name) ?? [])
    const listed = types.map((type) => ({ type, include: [] }))
    const query = { ...PLAIN, types: listed, state: 'live', locale: { kind: 'all' } } as const
    const valuesOf = async () =>
      (await findList(content, WRITER, query)).entries.map((entry) => entry.values())
    const before = await valuesOf()
    for (const { table } of types) {
      await database.main.writer.updateTable(table).set({ shape: 0, doc: '{"gone":1}' }).execute()
    }
    assert.deepEqual(await valuesOf(), before)
  })
})

/** Types that are not asked for are listed all the same, so that their names are known. */
async function ask(
  content: Content,
  { types, ...rest }: ListQuestion,
  page: { start: number; limit: number } = { start: 0, limit: 1_000 },
) {
  const listed = TYPES.flatMap((name) => {
    const type = content.model().findType(name)
    const filter = types.includes(name) ? null : ({ kind: 'or', of: [] } as const)
    return type ? [{ type, include: [], filter }] : []
  })
  const { entries, total } = await findList(content, WRITER, { ...rest, ...page, types: listed })
  return { shown: entries.map(({ type, id }) => `${type.singularName} ${id}`), total }
}

function randomQuestion(dice: Dice): ListQuestion {
  const types: readonly TypeName[] = dice.pick([
    TYPES,
    TYPES,
    ['topic', 'story'],
    ['story', 'writer'],
  ])
  return {
    types,
    state: dice.pick(['live', 'working'] as const),
    locale: randomLocale(dice),
    filter: dice.chance(0.7) ? randomListFilter(dice) : null,
    search: dice.chance(0.1) ? dice.pick([...TEXTS, '12', '5']) : '',
    sort: randomListSort(dice),
  }
}

function randomLocale(dice: Dice): LocaleChoice {
  const kind = dice.below(4)
  if (kind === 0) return { kind: 'default' }
  if (kind === 1) return { kind: 'all' }
  const code = dice.pick(['en', 'fr', 'de'])
  return { kind: 'one', code, fallback: kind === 2 ? [] : dice.some(['en', 'fr', 'de'], 2) }
}

/** A list of types that have no such field cannot be sorted by it. */
function refusedName(error: unknown): undefined {
  if (error instanceof DomainError && error.issues[0]?.rule === 'unknown_field') return undefined
  throw error
}
