import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { ContentQuery } from '#content-query'
import { type AnyTables, type SqlDialect, wordsOf } from '#db'
import { eachDatabase, silentLog } from '#test-kit'
import { up } from '../../migrations/0178_content_search_texts_wait.ts'
import { createFind } from '../../src/content/query/find.ts'
import { createIndexBuilder } from '../../src/content/search/builder.ts'
import { INDEX, indexedOf } from '../../src/content/search/indexed.ts'
import { createSearch, type SearchQuery } from '../../src/content/search/search.ts'
import { countWaitingTexts, createWaitingTexts } from '../../src/content/search/take-in.ts'
import { parseTerms } from '../../src/content/search/terms.ts'
import type { ContentTables } from '../../src/content/tables.ts'
import type { BatchBody } from '../../src/content/types/schemas.ts'
import { createDice, type Dice } from './content-query/random.ts'
import { pieceOf, randomText } from './content-search/texts.ts'
import { openContent, type TestContent, WRITER } from './support/content.ts'

const SEED = Number(process.env['SEED'] ?? 16)
const ENTRIES = 60
const QUESTIONS = 150
const MANY_TYPES = 8
const FORCED = { dryRun: false, force: true }

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
    assert.equal(await countWaitingTexts(content.db), 0)
    const after = await called('Quinquagesima after')
    const changed = await called('Septuagesima')
    await takeIn(content)
    const values = { name: 'Quinquagesima instead' }
    await entries.update(WRITER, place, { id: changed }, { values }, {})
    assert.equal(await countWaitingTexts(content.db), 1)
    assert.deepEqual(await find('quinquagesima'), [changed, after, before])
    assert.deepEqual(await find('septuagesima'), [])
    await entries.remove(WRITER, place, { id: changed })
    assert.equal(await countWaitingTexts(content.db), 0)
    await takeIn(content)
    assert.deepEqual(await find('quinquagesima'), [after, before])
    for (const id of [before, after]) await entries.remove(WRITER, place, { id })
    assert.deepEqual(await find('quinquagesima'), [])

    async function find(text: string) {
      return (await searchFor(content, text, { types: [place] })).map(({ entry }) => entry.id)
    }
  })

  test('finding 16: what waits is found as it is now, also after it was changed, published or removed', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const story = typeOf('story')
    const made = async (title: string) =>
      (await entries.create(WRITER, story, { values: { title } }, { status: 'draft' })).entry.id
    const found = async (text: string, state: 'live' | 'working' = 'working') =>
      (await searchFor(content, text, { types: [story], state })).map(({ entry }) => entry.id)
    const draft = await made('Sexagesima (draft)')
    const gone = await made('Sexagesima gone')
    const taken = await made('Sexagesima, taken in')
    assert.deepEqual(await found('sexagesima'), [taken, gone, draft])
    assert.deepEqual(
      await found('"sexagesima draft"'),
      [draft],
      'signs between words are one space',
    )
    assert.deepEqual(await found('sexagesima', 'live'), [])
    await entries.publish(WRITER, story, { id: draft })
    assert.deepEqual(await found('sexagesima', 'live'), [draft])
    await entries.remove(WRITER, story, { id: gone })
    assert.deepEqual(await found('sexagesima'), [taken, draft])
    await takeIn(content)
    await entries.publish(WRITER, story, { id: taken })
    assert.deepEqual(await found('sexagesima', 'live'), [taken, draft])
    await entries.update(WRITER, story, { id: taken }, { values: { title: 'Else' } }, {})
    assert.deepEqual(await found('sexagesima'), [draft])
    await takeIn(content)
    assert.deepEqual(await found('sexagesima'), [draft])
    for (const id of [draft, taken]) await entries.remove(WRITER, story, { id })
  })

  test('finding 16: what becomes private while it waits is neither found nor taken in', async () => {
    const content = await opened
    const { db, entries, model, definitions, typeOf } = content
    const attributes = (isPrivate: boolean) => ({
      title: { type: 'string' as const },
      word: { type: 'string' as const, private: isPrivate },
    })
    const names = { singularName: 'memo', pluralName: 'memos', draftAndPublish: false }
    await definitions.createBatch({ contentTypes: [{ ...names, attributes: attributes(false) }] })
    const before = model()
    const values = { title: 'Memo', word: 'loginword' }
    const { entry } = await entries.create(WRITER, typeOf('memo'), { values })
    const find = async () =>
      (await searchFor(content, 'loginword', { types: [typeOf('memo')] })).length
    assert.equal(await find(), 1)
    await definitions.mergeType('memo', { attributes: attributes(true) }, FORCED)
    assert.equal(await find(), 0)
    // A worker that has not heard of the change.
    await createWaitingTexts({ db, model: () => before }).takeIn(AbortSignal.timeout(60_000))
    const held = sql<{ text: string }>`select text from content_search where no = ${entry.copyNo}`
    assert.deepEqual((await held.execute(db.main.reader)).rows, [])
    assert.equal(await countWaitingTexts(db), 1)
    await takeIn(content)
    const [row] = (await held.execute(db.main.reader)).rows
    assert.match(row?.text ?? '', /memo/)
    assert.doesNotMatch(row?.text ?? '', /loginword/)
    await definitions.removeType('memo', FORCED)
  })

  test('finding 16: a copy that is written between the two questions of a search is not lost', async () => {
    const content = await opened
    const { db, model, entries, typeOf } = content
    const place = typeOf('place')
    const { entry } = await entries.create(WRITER, place, { values: { name: 'Laetare first' } })
    await takeIn(content)
    const find = createFind({ db, model, countPlan: () => {} })
    const change = () => {
      isChanged = true
      const values = { name: 'Laetare second' }
      return entries.update(WRITER, place, { id: entry.id }, { values }, {})
    }
    let isChanged = false
    // The types in which something waits are read, then the copy waits.
    const reader = db.main.reader.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!isChanged) await change()
        return result
      },
    })
    const search = createSearch({ db: { ...db, main: { ...db.main, reader } }, model, find }).search
    const { hits } = await search({ level: 'write' }, questionOf('laetare', { types: [place] }))
    assert.ok(isChanged)
    assert.deepEqual(
      hits.map((hit) => hit.entry.values()['name']),
      ['Laetare second'],
    )
    await entries.remove(WRITER, place, { id: entry.id })
  })

  test('finding 16: ten words are found while copies of very many types wait', async () => {
    const content = await opened
    const { definitions, entries, model } = content
    const attributes = { title: { type: 'string' as const }, words: { type: 'tags' as const } }
    const names = Array.from({ length: MANY_TYPES }, (_, n) => `leaf${n}`)
    await definitions.createBatch({
      contentTypes: names.map((name) => ({
        ...{ singularName: name, pluralName: `${name}s`, draftAndPublish: false, attributes },
      })),
    })
    const text = Array.from({ length: 10 }, (_, n) => `palmarum${n}`).join('-')
    for (const [n, name] of names.entries()) {
      const values = n % 2 ? { title: text } : { words: [text] }
      await entries.create(WRITER, content.typeOf(name), { values })
    }
    const { types } = model()
    const find = async () =>
      (await searchFor(content, text, { types })).map(({ entry }) => entry.type.singularName)
    const [titled, tagged] = [1, 0].map((rest) => names.filter((_, n) => n % 2 === rest).reverse())
    assert.deepEqual(await find(), [...(titled ?? []), ...(tagged ?? [])])
    await takeIn(content)
    assert.equal(await countWaitingTexts(content.db), 0)
    assert.deepEqual(await find(), [...(titled ?? []), ...(tagged ?? [])])
    for (const name of names) await definitions.removeType(name, FORCED)
  })

  test('finding 16: a store whose triggers made texts is carried over, with what waits in it', async () => {
    const content = await opened
    const { db, entries, typeOf } = content
    const place = typeOf('place')
    const named = (name: string) => entries.create(WRITER, place, { values: { name } })
    const { entry: first } = await named('Judica')
    await takeIn(content)
    const known = await readAll(content)
    await undoMigration(content, first.copyNo)
    await db.main.transaction(undefined, (tx) => up(tx.as<AnyTables>(), db.dialect))
    const find = async () =>
      (await searchFor(content, 'judica', { types: [place] })).map(({ entry }) => entry.id)
    assert.deepEqual([await countWaitingTexts(db), await find()], [1, [first.id]])
    const { entry: second } = await named('Judica')
    assert.deepEqual([await countWaitingTexts(db), await find()], [2, [second.id, first.id]])
    for (let n = 0; n < 10; n++) await askLists(content, createDice(SEED + n), known)
    await takeIn(content)
    assert.deepEqual([await countWaitingTexts(db), await find()], [0, [second.id, first.id]])
    for (const { id } of [first, second]) await entries.remove(WRITER, place, { id })
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
    test('finding 16: what is taken in waits for a change of its type, and then is left', async () => {
      const content = await opened
      const { db, model, entries, typeOf } = content
      const place = typeOf('place')
      const { entry } = await entries.create(WRITER, place, { values: { name: 'Rogate' } })
      let taking: Promise<boolean> | undefined
      const held = { source: '' }
      await db.main.transaction(undefined, async (tx) => {
        const trx = tx.as<ContentTables>()
        const stored = trx.selectFrom('content_search_types').select('source')
        Object.assign(held, await stored.where('type_no', '=', place.no).executeTakeFirst())
        const set = trx
          .updateTable('content_search_types')
          .set({ source: '{"title":[],"text":[]}' })
        await set.where('type_no', '=', place.no).execute()
        taking = createWaitingTexts({ db, model }).takeIn(AbortSignal.timeout(60_000))
        await isLockWaitedFor(db)
      })
      await taking
      assert.equal(await countWaitingTexts(db), 1)
      await sql`update content_search_types set source = ${held.source}
        where type_no = ${place.no}`.execute(db.main.writer)
      await takeIn(content)
      assert.equal(await countWaitingTexts(db), 0)
      await entries.remove(WRITER, place, { id: entry.id })
    })

    test('finding 16: a copy that is changed while it is taken in waits again', async () => {
      const content = await opened
      const { db, model, entries, typeOf } = content
      const place = typeOf('place')
      const { entry } = await entries.create(WRITER, place, { values: { name: 'Exaudi old' } })
      const indexed = indexedOf(place)
      let changing: Promise<unknown> | undefined
      await db.main.transaction(undefined, async (tx) => {
        const steps = db.dialect.textIndex.takeInWaiting(INDEX, indexed, 1)
        for (const [at, step] of steps.entries()) {
          await step.execute(tx.as<ContentTables>())
          if (at > 0) continue
          const values = { name: 'Exaudi new' }
          changing = entries.update(WRITER, place, { id: entry.id }, { values }, {})
          await isLockWaitedFor(db)
        }
      })
      await changing
      assert.equal(await countWaitingTexts(db), 1)
      const find = async (text: string) =>
        (await searchFor(content, text, { types: [place] })).length
      assert.deepEqual([await find('"exaudi new"'), await find('"exaudi old"')], [1, 0])
      await createWaitingTexts({ db, model }).takeIn(AbortSignal.timeout(60_000))
      assert.deepEqual([await find('"exaudi new"'), await find('"exaudi old"')], [1, 0])
      await entries.remove(WRITER, place, { id: entry.id })
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
    await takeIn(content)
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

/** Somebody waits for what another one has locked. */
async function isLockWaitedFor({ main }: TestContent['db']) {
  const waits = sql`select 1 from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted`
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

/** What is found, all of it on one page. */
async function searchFor(content: TestContent, text: string, more: Asked) {
  const { hits, total } = await searchOf(content)({ level: 'write' }, questionOf(text, more))
  assert.equal(total, hits.length)
  return hits
}

type Asked = Pick<SearchQuery, 'types'> & Partial<SearchQuery>

function questionOf(text: string, more: Asked): SearchQuery {
  const page = { start: 0, limit: 100, count: true }
  return { terms: parseTerms(text), state: 'live', locale: null, ...page, ...more }
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
    for (const { table } of model().types) await dropTriggers(trx, dialect, table)
    await sql`delete from content_search_waiting`.execute(trx)
    await sql`delete from content_search`.execute(trx)
    if (!dialect.rowLocks) await sql`delete from content_search_trigrams`.execute(trx)
    await sql`update content_search_types set source = '', indexed_to = 0, ready = 0`.execute(trx)
  })
}

async function dropTriggers(db: Kysely<ContentTables>, { rowLocks }: SqlDialect, table: string) {
  const events = rowLocks ? ['insert', 'update', 'delete'] : ['insert', 'texts', 'facts', 'delete']
  const on = rowLocks ? sql` on ${sql.table(table)}` : sql``
  for (const event of events) {
    await sql`drop trigger ${sql.id(`${table}_index_${event}`)}${on}`.execute(db)
  }
}

/** As triggers left it that made texts in the transaction of a write: `no` waits for its trigrams. */
async function undoMigration({ db, model }: TestContent, no: number) {
  const { dialect } = db
  await db.main.transaction(undefined, async (tx) => {
    const trx = tx.as<ContentTables>()
    for (const { table } of model().types) await dropTriggers(trx, dialect, table)
    await sql`alter table content_search_types add column lets_wait integer not null default 0`.execute(
      trx,
    )
    await sql`drop table content_search_waiting`.execute(trx)
    if (dialect.rowLocks) {
      await sql`update content_search set indexed = 0 where no = ${no}`.execute(trx)
      await sql`create index content_search_waiting on content_search (no) where indexed = 0`.execute(
        trx,
      )
      return
    }
    await sql`create table content_search_waiting (no integer primary key)`.execute(trx)
    await sql`insert into content_search_waiting (no) values (${no})`.execute(trx)
    await sql`delete from content_search_trigrams where rowid = ${no}`.execute(trx)
  })
}
