import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Content, EntryPage } from '#content'
import type { ContentQuery, Include, LocaleChoice, Scalar } from '#content-query'
import { eachDatabase } from '#test-kit'
import { find } from './content-query/ask.ts'
import { type Document, randomDocuments, TEXTS } from './content-query/documents.ts'
import { openStore } from './content-query/open-store.ts'
import { createOracle, type Question } from './content-query/oracle.ts'
import { createDice, type Dice } from './content-query/random.ts'
import { otherValues, randomFilter, randomSort } from './content-query/random-query.ts'
import { writeRows } from './content-query/write-rows.ts'

const SEED = Number(process.env['SEED'] ?? 20_26)
const QUERIES = Number(process.env['QUERIES'] ?? 300)
const WRITER = { level: 'write' } as const

const documents: readonly Document[] = randomDocuments(createDice(SEED), {
  writer: 8,
  topic: 8,
  story: 40,
})
const oracle = createOracle(documents)

eachDatabase('content queries', (kind) => {
  const opened = openStore(kind).then(async ({ database, content }) => {
    await writeRows(database, content.model(), documents)
    return content
  })

  test('random queries answer what a plain walk over all documents answers', async () => {
    const content = await opened
    for (let n = 0; n < QUERIES; n++) {
      const question = randomQuestion(createDice(SEED + n))
      const expected = oracle.ids(question)
      const shown = JSON.stringify(question)
      const page = await find(
        content,
        WRITER,
        toQuery(content, question, { kind: 'offset', start: 0, limit: 1_000, count: true }),
      )
      assert.deepEqual(
        page.entries.map(({ id }) => id),
        expected,
        `seed ${SEED + n}: ${shown}`,
      )
      assert.equal(page.total, expected.length, `seed ${SEED + n}: ${shown}`)
    }
  })

  test('queries that differ only in values each get an answer of their own', async () => {
    const content = await opened
    for (let n = 0; n < QUERIES / 6; n++) {
      const asked = randomQuestion(createDice(SEED + n))
      const filter = asked.filter ?? randomFilter(createDice(SEED + n), asked.type)
      const questions = [0, 1, 2, 3].map((at) => {
        const dice = createDice(SEED + n * 7 + at)
        return { ...asked, filter: at === 0 ? filter : otherValues(dice, filter) }
      })
      for (const [at, question] of [...questions, ...questions].entries()) {
        const limit = 1 + (at % 3)
        const page = { kind: 'offset', start: at % 4, limit, count: true } as const
        const found = await find(content, WRITER, toQuery(content, question, page))
        const expected = oracle.ids(question)
        const text = `seed ${SEED + n}: ${JSON.stringify(question)}`
        const shown = expected.slice(page.start, page.start + limit)
        const ids = found.entries.map(({ id }) => id)
        assert.deepEqual([found.total, ...ids], [expected.length, ...shown], text)
      }
    }
  })

  test('walks by cursor show each entry once, in order, forwards and backwards', async () => {
    const content = await opened
    for (let n = 0; n < QUERIES / 4; n++) {
      const asked = randomQuestion(createDice(SEED + n))
      const question = { ...asked, filter: n % 2 === 0 ? asked.filter : null, search: '' }
      const expected = oracle.ids(question)
      const text = `seed ${SEED + n}: ${JSON.stringify(question)}`
      assert.deepEqual(await walk(content, question, 'next'), expected, text)
      assert.deepEqual(await walk(content, question, 'prev'), expected, text)
    }
  })

  test('what is included is what the links say, in their order, page by page', async () => {
    const content = await opened
    for (const type of ['writer', 'topic', 'story'] as const) {
      for (const state of ['live', 'working'] as const) {
        for (const piece of [
          { start: 0, limit: 100 },
          { start: 1, limit: 2 },
        ]) {
          await checkIncludes(content, type, state, piece)
        }
      }
    }
  })

  async function checkIncludes(
    content: Content,
    type: Question['type'],
    state: Question['state'],
    piece: { start: number; limit: number },
  ) {
    const include = INCLUDED[type].map((field) => toInclude(field, piece))
    const question = { type, state, locale: { kind: 'all' }, ...EVERYTHING } as const
    const { entries } = await find(content, WRITER, { ...toQuery(content, question, ALL), include })
    for (const entry of entries) {
      for (const field of INCLUDED[type]) {
        const found = entry.included.get(field)
        const text = `${type} ${entry.id} ${state} ${field}`
        if (found?.kind === 'zone') {
          const parts = found.parts.map((each) => ({
            uid: each.component.uid,
            values: each.values(),
          }))
          assert.deepEqual(parts, oracle.zoneOf(entry.id, state), text)
          continue
        }
        if (found?.kind === 'part' || found?.kind === 'parts') {
          const parts = found.kind === 'parts' ? found.parts : found.part ? [found.part] : []
          const own = oracle.partsOf(entry.id, state, field === 'seo' ? 'seo' : 'blocks')
          const expected = own.slice(piece.start, piece.start + piece.limit)
          assert.deepEqual(
            parts.map((part) => part.values()),
            expected,
            text,
          )
          continue
        }
        const expected = oracle.relatedIds(type, entry.id, state, field)
        if (found?.kind === 'entries') {
          const shown = expected.slice(piece.start, piece.start + piece.limit)
          assert.deepEqual(
            found.entries.map(({ id }) => id),
            shown,
            text,
          )
          assert.equal(found.total, expected.length, text)
        } else {
          assert.ok(found?.kind === 'entry', text)
          assert.equal(found.entry?.id, expected[0], text)
        }
      }
    }
  }

  async function walk(
    content: Content,
    question: Question,
    direction: 'next' | 'prev',
  ): Promise<number[]> {
    const ids: number[] = []
    let position: readonly Scalar[] | null = null
    for (;;) {
      const page: EntryPage = await find(
        content,
        WRITER,
        toQuery(content, question, { kind: 'cursor', position, direction, limit: 7, count: false }),
      )
      const found = page.entries.map(({ id }) => id)
      if (direction === 'next') ids.push(...found)
      else ids.unshift(...found)
      const isStart: boolean = position === null
      const edge = direction === 'next' ? page.entries.at(-1) : page.entries[0]
      const goesOn = direction === 'next' ? page.hasMore : page.hasPrevious
      const isBehind = direction === 'next' ? page.hasPrevious : page.hasMore
      assert.equal(isBehind, !isStart)
      if (!goesOn || !edge) return ids
      position = page.positionOf(edge)
    }
  }

  function toQuery(
    content: Content,
    { type, ...rest }: Question,
    page: ContentQuery['page'],
  ): ContentQuery {
    const found = content.model().findType(type)
    if (!found) throw new Error(`no type ${type}`)
    return { ...rest, type: found, page, include: [] }
  }
})

const ALL = { kind: 'offset', start: 0, limit: 1_000, count: true } as const
const EVERYTHING = { filter: null, search: '', sort: [] } as const
const INCLUDED = {
  writer: ['stories'],
  topic: ['broader', 'stories', 'localizations'],
  story: ['writer', 'topics', 'seo', 'blocks', 'mixed', 'localizations'],
} as const

function toInclude(field: string, piece: { start: number; limit: number }): Include {
  const isOne = field === 'writer' || field === 'broader'
  const asked = {
    field,
    filter: null,
    sort: [],
    include: [],
    depth: 'entries',
    named: true,
  } as const
  return { ...asked, ...piece, start: isOne ? 0 : piece.start }
}

function randomQuestion(dice: Dice): Question {
  const type = dice.pick(['writer', 'topic', 'story', 'story', 'story'] as const)
  return {
    type,
    state: dice.pick(['live', 'working'] as const),
    locale: randomLocale(dice),
    filter: dice.chance(0.85) ? randomFilter(dice, type) : null,
    search: dice.chance(0.1)
      ? dice.pick([...TEXTS, '12', '0.5', '5', '12.5', '.0', '-3', 'Red'])
      : '',
    sort: randomSort(dice, type),
  }
}

function randomLocale(dice: Dice): LocaleChoice {
  const kind = dice.below(4)
  if (kind === 0) return { kind: 'default' }
  if (kind === 1) return { kind: 'all' }
  const code = dice.pick(['en', 'fr', 'de'])
  return { kind: 'one', code, fallback: kind === 2 ? [] : dice.some(['en', 'fr', 'de'], 2) }
}
