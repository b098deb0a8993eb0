import assert from 'node:assert/strict'
import { test } from 'node:test'
import { articleSeed } from './content-seed.ts'
import { createQuestions, DIALECTS, KINDS } from './questions.ts'

const seed = articleSeed(1_000, 10)
const ids = seed.articles.map((_, n) => ({ id: n + 1, documentId: `d${n}` }))

test('titles are unique and have a space', () => {
  const titles = seed.articles.map(({ title }) => title)
  assert.equal(new Set(titles).size, titles.length)
  assert.ok(titles.every((title) => title.includes(' ')))
})

test('no question comes twice while there are new ones, whatever was asked between', () => {
  const questions = createQuestions(seed, ids)
  for (const dialect of DIALECTS) {
    for (const kind of KINDS) {
      const asked = [400, 1, 599].flatMap((count) => questions.take(dialect, kind, count))
      assert.equal(asked.length, 1_000, `${dialect}, ${kind}`)
      assert.equal(new Set(asked).size, 1_000, `${dialect}, ${kind}`)
    }
  }
})

test('what was only looked at is asked later, and no measurement has a question twice', () => {
  const questions = createQuestions(seed, ids)
  const [kind, dialect] = ['one entry by id', 'cms'] as const
  const seen = questions.look(dialect, kind, 100)
  questions.use(dialect, kind, 40)
  assert.deepEqual(questions.look(dialect, kind, 60), seen.slice(40))
  const all = questions.take(dialect, kind, 5_000)
  assert.equal(all.length, ids.length)
  assert.equal(new Set(all).size, ids.length)
})
