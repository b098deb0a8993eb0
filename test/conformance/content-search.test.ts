import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { ContentQuery } from '#content-query'
import { wordsOf } from '#db'
import { eachDatabase, silentLog } from '#test-kit'
import { createFind } from '../../src/content/query/find.ts'
import { createIndexBuilder } from '../../src/content/search/builder.ts'
import { createSearch } from '../../src/content/search/search.ts'
import { countWaiting, createWaitingTexts } from '../../src/content/search/take-in.ts'
import { parseTerms } from '../../src/content/search/terms.ts'
import type { ContentTables } from '../../src/content/tables.ts'
import type { BatchBody } from '../../src/content/types/schemas.ts'
import { lockTypes } from '../../src/content/types/store.ts'
import { createDice, type Dice } from './content-query/random.ts'
import { pieceOf, randomText } from './content-search/texts.ts'
import { openContent, type TestContent, WRITER } from './support/content.ts'

const SEED = Number(process.env['SEED'] ?? 16)
const ENTRIES = 60
const QUESTIONS = 150

const BATCH: BatchBody = {
  contentTypes: [
    {
      ...{ singularName: 'story', pluralName: 'stories', draftAndPublish: true },
      attributes: {
        title: { type: 'string' },
        body: { type: 'text' },
        words: { type: 'tags' },
        year: { type: 'integer' },
        price: { type: 'decimal' },
        weight: { type: 'float' },
        note: { type: 'string', private: true },
        code: { type: 'string', searchable: false },
      },
    },
    {
      ...{ singularName: 'place', pluralName: 'places' },
      attributes: { name: { type: 'string' }, about: { type: 'richtext' } },
    },
  ],
}

type Values = Record<string, unknown>
interface Known {
  readonly type: string
  readonly id: number
  live: Values | null
  work: Values
}

eachDatabase('search', (kind) => {
  const opened = openContent(kind, BATCH)

  test('content-model 10: q and $contains find what a plain walk finds, in ten scripts, while entries change', async () => {
    const content = await opened
    const known: Known[] = []
    const dice = createDice(SEED)
    for (let n = 0; n < ENTRIES; n++) known.push(await create(content, dice))
    assert.ok(content.model().types.every(({ searched }) => searched))
    for (let n = 0; n < QUESTIONS; n++) {
      await change(content, createDice(SEED + n), known)
      await askLists(content, createDice(SEED + n), known)
      // What was written since waits for its trigrams: found it is in any case.
      if (n % 5 === 0) await takeIn(content)
    }
  })

  test('finding 16: what has its trigrams and what waits for them are found alike, once', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const place = typeOf('place')
    const called = async (name: string) =>
      (await entries.create(WRITER, place, { values: { name } })).entry.id
    const before = await called('Quinquagesima before')
    await takeIn(content)
    assert.equal(await countWaiting(content.db), 0)
    const after = await called('Quinquagesima after')
    const changed = await called('Septuagesima')
    await takeIn(content)
    const values = { name: 'Quinquagesima instead' }
    await entries.update(WRITER, place, { id: changed }, { values }, {})
    assert.equal(await countWaiting(content.db), 1)
    assert.deepEqual(await find('quinquagesima'), [changed, after, before])
    assert.deepEqual(await find('septuagesima'), [])
    await entries.remove(WRITER, place, { id: changed })
    assert.equal(await countWaiting(content.db), 0)
    await takeIn(content)
    assert.deepEqual(await find('quinquagesima'), [after, before])
    for (const id of [before, after]) await entries.remove(WRITER, place, { id })
    assert.deepEqual(await find('quinquagesima'), [])

    async function find(text: string) {
      const page = { start: 0, limit: 100, count: true }
      const asked = {
        terms: parseTerms(text),
        types: [place],
        state: 'live',
        locale: null,
      } as const
      const { hits, total } = await searchOf(content)({ level: 'write' }, { ...asked, ...page })
      assert.equal(total, hits.length)
      return hits.map(({ entry }) => entry.id)
    }
  })

  test('finding 16: a type of an older store is followed anew, and what it holds stays', async () => {
    const content = await opened
    const { db } = content
    const known = await readAll(content)
    await sql`update content_search_types set lets_wait = 0`.execute(db.main.writer)
    await createWaitingTexts(content).followTypes()
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from content_search_types where lets_wait = 0`.execute(db.main.reader)
    assert.equal(Number(rows[0]?.n), 0)
    for (let n = 0; n < 10; n++) await askLists(content, createDice(SEED + n), known)
  })

  if (kind === 'sqlite') {
    test('finding 16: however many steps take texts in, what they leave is merged', async () => {
      const content = await opened
      const { db, entries, typeOf } = content
      const dice = createDice(SEED)
      const han = () => String.fromCharCode(0x4e00 + dice.below(3_000))
      const ids: number[] = []
      for (let step = 0; step < 40; step++) {
        const values = { about: Array.from({ length: 2_000 }, han).join('') }
        const { entry } = await entries.create(WRITER, typeOf('place'), { values })
        ids.push(entry.id)
        await takeIn(content)
      }
      const { rows } = await sql<{ n: number }>`
        select count(distinct segid) as n from content_search_trigrams_idx`.execute(db.main.reader)
      assert.ok(Number(rows[0]?.n) < 20, JSON.stringify(rows))
      for (const id of ids) await entries.remove(WRITER, typeOf('place'), { id })
    })
  }

  if (kind === 'postgres') {
    test('finding 16: a change of a type that is followed anew is waited for, and kept', async () => {
      const { db, model, typeOf } = await opened
      const { no } = typeOf('place')
      const stored = sql<Record<string, unknown>>`
        select source, lets_wait from content_search_types where type_no = ${no}`
      const [before] = (await stored.execute(db.main.reader)).rows
      await sql`update content_search_types set lets_wait = 0 where type_no = ${no}`.execute(
        db.main.writer,
      )
      const changed = { source: '{"title":[],"text":[]}', lets_wait: 0 }
      let following: Promise<void> | undefined
      await db.main.transaction(undefined, async (tx) => {
        const trx = tx.as<ContentTables>()
        await lockTypes(trx, db.dialect, [no])
        following = createWaitingTexts({ db, model }).followTypes()
        await isLockWaitedFor(db)
        await trx
          .updateTable('content_search_types')
          .set(changed)
          .where('type_no', '=', no)
          .execute()
      })
      await following
      assert.deepEqual((await stored.execute(db.main.reader)).rows, [changed])
      await sql`update content_search_types set source = ${before?.['source']}, lets_wait = 1
        where type_no = ${no}`.execute(db.main.writer)
    })
  }

  test('finding 16: what was written before the index followed a type is taken in while entries change', async () => {
    const content = await opened
    const known = await readAll(content)
    await forgetIndex(content)
    assert.ok(content.model().types.every(({ searched }) => !searched))
    const { db, revisions, model } = content
    const { build } = createIndexBuilder({ db, revisions, log: silentLog, model })
    const dice = createDice(SEED + 1)
    const building = build(AbortSignal.timeout(60_000))
    for (let n = 0; n < 20; n++) {
      await change(content, dice, known)
      await askLists(content, dice, known)
    }
    await building
    await content.changes.change(async () => {})
    assert.ok(content.model().types.every(({ searched }) => searched))
    for (let n = 0; n < 40; n++) await askLists(content, dice, known)
    assert.equal(await countRows(content, 'content_search'), await countCopies(content))
  })

  test('rest-conventions 10: words, a beginning and phrases are found in all types, titles first', async () => {
    const content = await opened
    const known = await readAll(content)
    const search = searchOf(content)
    const dice = createDice(SEED + 2)
    for (let n = 0; n < QUESTIONS; n++) {
      const text = wantedWords(dice, known)
      const terms = parseTerms(text)
      if (terms.length === 0) continue
      if (n === QUESTIONS / 2) await takeIn(content)
      const state = dice.chance(0.5) ? 'live' : 'working'
      const page = { start: 0, limit: 100, count: true }
      const question = {
        terms,
        types: content.model().types,
        state,
        locale: null,
        ...page,
      } as const
      const found = await search({ level: 'write' }, question)
      const expected = known.filter((each) => hasTerms(shownOf(each, state), each, text))
      const ids = found.hits.map(({ entry }) => `${entry.type.singularName} ${entry.id}`)
      const message = `seed ${SEED + 2}, ${n}: ${JSON.stringify(text)}`
      assert.deepEqual(
        ids.toSorted(),
        expected.map(({ type, id }) => `${type} ${id}`).toSorted(),
        message,
      )
      assert.equal(found.total, expected.length, message)
      const ranks = found.hits.map(({ entry }) => {
        const title = entry.values()[entry.type.displayField ?? '']
        return [hasAll([title], text) ? 1 : 0, entry.copyNo] as const
      })
      const sorted = ranks.toSorted((a, b) => b[0] - a[0] || b[1] - a[1])
      assert.deepEqual(ranks, sorted, message)
    }
  })
})

/** Somebody waits for a name that another one has locked. */
async function isLockWaitedFor({ main }: TestContent['db']) {
  const waits = sql`select 1 from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and not l.granted and a.query like '%lock%'`
  const endMs = Date.now() + 10_000
  while ((await waits.execute(main.reader)).rows.length === 0) assert.ok(Date.now() < endMs)
}

async function takeIn(content: TestContent) {
  const { takeIn: work } = createWaitingTexts(content)
  while (await work(AbortSignal.timeout(60_000)));
}

async function countRows({ db }: TestContent, table: string): Promise<number> {
  const rows = sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`
  return Number((await rows.execute(db.main.reader)).rows[0]?.n)
}

async function countCopies(content: TestContent): Promise<number> {
  const counts = content.model().types.map(({ table }) => countRows(content, table))
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0)
}

function searchOf({ db, model }: TestContent) {
  const find = createFind({ db, model, countPlan: () => {} })
  return createSearch({ db, model, find }).search
}

async function create({ entries, typeOf }: TestContent, dice: Dice): Promise<Known> {
  const type = dice.chance(0.75) ? 'story' : 'place'
  const values = randomValues(dice, type)
  const isDraft = type === 'story' && dice.chance(0.3)
  const status = isDraft ? 'draft' : 'published'
  const { entry } = await entries.create(WRITER, typeOf(type), { values }, { status })
  const all = entry.values()
  return { type, id: entry.id, live: isDraft ? null : all, work: all }
}

function randomValues(dice: Dice, type: string): Values {
  if (type === 'place') return { name: randomText(dice, 3), about: randomText(dice, 12) }
  return {
    title: dice.chance(0.9) ? randomText(dice, 4) : null,
    body: dice.chance(0.8) ? randomText(dice, 30) : null,
    words: Array.from({ length: dice.below(4) }, () => randomText(dice, 2)),
    year: dice.chance(0.5) ? 1900 + dice.below(200) : null,
    price: dice.chance(0.5) ? dice.below(200_000) / 100 : null,
    weight: dice.chance(0.3) ? dice.below(50) / 4 : null,
    note: randomText(dice, 2),
    code: randomText(dice, 2),
  }
}

/** One write of any kind. */
async function change(content: TestContent, dice: Dice, known: Known[]) {
  const { entries, typeOf } = content
  const at = dice.below(known.length)
  const one = known[at]
  if (!one || dice.chance(0.2)) return void known.push(await create(content, dice))
  const type = typeOf(one.type)
  if (dice.chance(0.15)) {
    await entries.remove(WRITER, type, { id: one.id })
    return void known.splice(at, 1)
  }
  if (type.draftAndPublish && dice.chance(0.2)) {
    await entries.publish(WRITER, type, { id: one.id })
    one.live = one.work
    return
  }
  const values = randomValues(dice, one.type)
  const [name = ''] = dice.some(Object.keys(values), 1)
  const status = type.draftAndPublish && dice.chance(0.5) ? 'draft' : 'keep'
  const changed = name === '' ? {} : { [name]: values[name] }
  const { entry } = await entries.update(
    WRITER,
    type,
    { id: one.id },
    { values: changed },
    { status },
  )
  one.work = entry.values()
  if (status === 'keep' && one.live) one.live = one.work
}

/** What `readAll` of the store shows, for tests that begin with what others left. */
async function readAll(content: TestContent): Promise<Known[]> {
  const find = createFind({ db: content.db, model: content.model, countPlan: () => {} })
  const known = new Map<string, Known>()
  for (const state of ['working', 'live'] as const) {
    for (const type of content.model().types) {
      const { entries } = await find.find({ level: 'write' }, query(type, state, {}))
      for (const entry of entries) {
        const key = `${type.singularName} ${entry.id}`
        const { work = entry.values() } = known.get(key) ?? {}
        const live = state === 'live' ? entry.values() : null
        const isSame = JSON.stringify(live) === JSON.stringify(work) && entry.status !== 'changed'
        known.set(key, { type: type.singularName, id: entry.id, live: isSame ? work : live, work })
      }
    }
  }
  return [...known.values()]
}

function query(
  type: ContentQuery['type'],
  state: ContentQuery['state'],
  more: Partial<ContentQuery>,
): ContentQuery {
  return {
    ...{ type, state, locale: { kind: 'all' }, filter: null, search: '', sort: [], include: [] },
    page: { kind: 'offset', start: 0, limit: 1_000, count: true },
    ...more,
  }
}

/** Every way to ask, each compared with a walk over all entries. */
async function askLists(content: TestContent, dice: Dice, known: readonly Known[]) {
  const find = createFind({ db: content.db, model: content.model, countPlan: () => {} })
  const state = dice.chance(0.5) ? 'live' : 'working'
  const type = dice.chance(0.8) ? 'story' : 'place'
  const asked = wantedPiece(dice, known)
  const field = type === 'story' ? dice.pick(['title', 'body', 'code']) : 'name'
  const own = known.filter((each) => each.type === type && shownOf(each, state))
  const contains = (isFold: boolean): Partial<ContentQuery> => ({
    filter: { kind: 'compare', field, operator: 'contains', fold: isFold, values: [asked] },
  })
  const ways: readonly [string, Partial<ContentQuery>, (values: Values, id: number) => boolean][] =
    [
      ['q', { search: asked }, (values, id) => isFound(values, id, asked)],
      ['contains', contains(false), (values) => String(values[field] ?? '').includes(asked)],
      ['containsi', contains(true), (values) => fold(values[field] ?? '').includes(fold(asked))],
    ]
  for (const [name, more, is] of ways) {
    const sort = dice.chance(0.5) ? [] : [{ path: ['updatedAt'], order: 'desc' as const }]
    const found = await find.find(
      { level: 'write' },
      query(content.typeOf(type), state, { ...more, sort }),
    )
    const expected = own
      .filter((each) => is(shownOf(each, state) ?? {}, each.id))
      .map(({ id }) => id)
    const message = `${name} ${field} ${state} ${JSON.stringify(asked)}`
    const ids = found.entries.map(({ id }) => id)
    assert.deepEqual(
      ids.toSorted((a, b) => a - b),
      expected.toSorted((a, b) => a - b),
      message,
    )
    assert.equal(found.total, expected.length, message)
  }
}

function shownOf({ live, work }: Known, state: 'live' | 'working'): Values | null {
  return state === 'live' ? live : work
}

function wantedPiece(dice: Dice, known: readonly Known[]): string {
  const values = dice.pick(known).work
  const texts = Object.values(values).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : (value ?? []),
  )
  const given = texts.filter((text): text is string => typeof text === 'string' && text !== '')
  return given.length === 0 ? 'nothing' : pieceOf(dice, dice.pick(given))
}

function isFound(values: Values, id: number, asked: string): boolean {
  const part = fold(asked)
  const texts = [
    values['title'],
    values['body'],
    values['name'],
    values['about'],
    ...tagsOf(values),
  ]
  if (texts.some((text) => fold(text ?? '').includes(part))) return true
  if (!/^[-\d.]+$/.test(part)) return false
  const numbers = [id, values['year'], values['price']].filter(
    (value) => value !== undefined && value !== null,
  )
  if (numbers.some((value) => String(value).includes(part))) return true
  const { weight } = values
  return typeof weight === 'number' && !Number.isNaN(Number(part)) && weight === Number(part)
}

function tagsOf({ words }: Values): readonly unknown[] {
  return Array.isArray(words) ? words : []
}

function fold(text: unknown): string {
  return String(text).normalize('NFC').toLowerCase().replaceAll('\u03c2', '\u03c3')
}

/** Some words of an entry, the last cut short, or several in quotation marks. */
function wantedWords(dice: Dice, known: readonly Known[]): string {
  const values = dice.pick(known).work
  const texts = ['title', 'body', 'name', 'about'].map((name) => values[name] ?? '')
  const text = String(dice.pick(texts))
  const words = wordsOf(text.replaceAll('"', ' '))
  if (words.length === 0) return 'nothing'
  const from = dice.below(words.length)
  if (dice.chance(0.3)) return `"${words.slice(from, from + 2).join(' ')}"`
  const last = Array.from(words[from] ?? '')
  const cut = last.slice(0, 1 + dice.below(last.length)).join('')
  return dice.chance(0.5) ? cut : `${dice.pick(words)} ${cut}`
}

function hasTerms(values: Values | null, { id }: Known, text: string): boolean {
  if (!values) return false
  const { title, body, name, about, year, price } = values
  return hasAll([id, title, body, name, about, year, price, ...tagsOf(values)], text)
}

/** By lists of words, not by the text of the index. */
function hasAll(texts: readonly unknown[], asked: string): boolean {
  const lists = texts
    .filter((text) => text !== null && text !== undefined)
    .map((text) => wordsOf(fold(text)))
  return parseTerms(asked).every(({ words, isOpen }) =>
    lists.some((list) => list.some((_, at) => matches(list.slice(at), words, isOpen))),
  )
}

function matches(list: readonly string[], words: readonly string[], isOpen: boolean): boolean {
  if (list.length < words.length) return false
  return words.every((word, at) => {
    const own = list[at] ?? ''
    const isFirst = at === 0 && UNSPACED.test(word)
    const isLast = at === words.length - 1 && (isOpen || UNSPACED.test(word))
    if (isFirst && isLast) return own.includes(word)
    if (isFirst) return own.endsWith(word)
    return isLast ? own.startsWith(word) : own === word
  })
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** As in a store that is older than the index. */
async function forgetIndex({ db, changes, model }: TestContent) {
  await changes.change(async ({ trx }) => {
    const { dialect } = db
    for (const { table } of model().types) {
      const name = sql.raw(dialect.rowLocks ? `${table}_index` : '')
      if (dialect.rowLocks) await sql`drop trigger ${name} on ${sql.table(table)}`.execute(trx)
      else {
        for (const event of ['insert', 'texts', 'facts', 'delete']) {
          await sql`drop trigger ${sql.id(`${table}_index_${event}`)}`.execute(trx)
        }
      }
    }
    await sql`delete from content_search`.execute(trx)
    if (!dialect.rowLocks) await sql`delete from content_search_trigrams`.execute(trx)
    await sql`update content_search_types set source = '', indexed_to = 0, ready = 0`.execute(trx)
  })
}
