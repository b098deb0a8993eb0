import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnswers } from './answers.ts'
import { createFreshness } from './freshness.ts'

type Work = () => unknown

function createParts(maxBytes = 1024 * 1024) {
  const handlers: ((message: never) => void)[] = []
  const freshness = createFreshness({
    bus: {
      publish: async () => {},
      subscribe: (_topic, handler) => {
        handlers.push(handler)
        return () => {}
      },
    },
  })
  const answers = createAnswers<{ readonly body: Buffer }>({
    freshness,
    maxAgeMs: Number.POSITIVE_INFINITY,
    maxBytes,
  })
  return { answers, commit }

  function commit(...typeNos: number[]) {
    const later: Work[] = []
    const unused = () => {
      throw new Error('not used here')
    }
    freshness.touch(
      { as: unused, savepoint: unused, afterCommit: (work) => void later.push(work) },
      typeNos,
    )
    for (const work of later) work()
  }
}

const answer = (text: string) => ({ body: Buffer.from(text) })

test('an answer is given until one of its types changes, and no other change matters', () => {
  const { answers, commit } = createParts()
  answers.keep('a', { ...answers.ask(), typeNos: [1, 2], answer: answer('one') })
  assert.equal(answers.find('a')?.answer.body.toString(), 'one')
  commit(3)
  assert.equal(answers.find('a')?.answer.body.toString(), 'one')
  commit(2)
  assert.equal(answers.find('a'), undefined)
  assert.equal(answers.find('b'), undefined)
})

test('a change between question and answer keeps the answer out', () => {
  const { answers, commit } = createParts()
  const asked = answers.ask()
  commit(1)
  answers.keep('a', { ...asked, typeNos: [1], answer: answer('old') })
  assert.equal(answers.find('a'), undefined)
  answers.keep('a', { ...asked, typeNos: [2], answer: answer('of another type') })
  assert.equal(answers.find('a')?.answer.body.toString(), 'of another type')
})

test('the least recently used answers make room', () => {
  const { answers } = createParts(64 * 1024)
  const body = 'x'.repeat(1_000)
  for (let n = 0; n < 100; n++) {
    answers.keep(`k${n}`, { ...answers.ask(), typeNos: [1], answer: answer(body) })
    answers.find('k0')
  }
  assert.ok(answers.find('k0'), 'used all the time')
  assert.equal(answers.find('k1'), undefined)
  assert.ok(answers.find('k99'))
  answers.keep('large', { ...answers.ask(), typeNos: [1], answer: answer('x'.repeat(10_000)) })
  assert.equal(answers.find('large'), undefined)
})
