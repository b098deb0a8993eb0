import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatches } from './batches.ts'

test('what is asked while a batch is under way is asked together', async () => {
  const batches: (readonly number[])[] = []
  const { ask } = createBatches<number, number>(3, async (questions) => {
    batches.push(questions)
    return (question) => question * 2
  })
  const answers = await Promise.all([1, 2, 3, 4, 5].map(ask))
  assert.deepEqual(answers, [2, 4, 6, 8, 10])
  assert.deepEqual(batches, [[1], [2, 3, 4], [5]])
})

test('a batch that fails is refused to those in it, and the next one goes on', async () => {
  const { ask } = createBatches<number, number>(10, async (questions) => {
    if (questions.includes(1)) throw new Error('away')
    return (question) => question
  })
  const [first, second] = await Promise.allSettled([ask(1), ask(2)])
  assert.equal(first.status, 'rejected')
  assert.deepEqual(second, { status: 'fulfilled', value: 2 })
  assert.equal(await ask(3), 3)
})
