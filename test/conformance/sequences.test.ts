import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase, openTestDatabase } from '#test-kit'

eachDatabase('sequences', (kind) => {
  test('numbers rise from 1 and none is given twice, also to parallel takers', async () => {
    const { database } = await openTestDatabase(kind)
    const { sequences } = database.dialect
    const { main } = database
    await main.transaction(undefined, (tx) => sequences.create(tx.as(), 'seq_a'))
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        main.transaction(undefined, (tx) => sequences.take(tx.as(), 'seq_a', 1 + (n % 3))),
      ),
    )
    for (const block of taken)
      assert.deepEqual(
        block,
        block.toSorted((a, b) => a - b),
      )
    const all = taken.flat().sort((a, b) => a - b)
    assert.equal(new Set(all).size, all.length)
    assert.equal(all[0], 1)

    await main.transaction(undefined, (tx) => sequences.create(tx.as(), 'seq_b'))
    const names = ['seq_b', 'seq_a']
    const pairs = await Promise.all(
      Array.from({ length: 5 }, () =>
        main.transaction(undefined, (tx) => sequences.takeEach(tx.as(), names)),
      ),
    )
    assert.deepEqual(pairs.map(([b]) => b).toSorted(), [1, 2, 3, 4, 5])
    assert.deepEqual(pairs.map(([, a]) => (a ?? 0) - all.length).toSorted(), [1, 2, 3, 4, 5])

    await main.transaction(undefined, (tx) => sequences.skipTo(tx.as(), 'seq_a', 1_000))
    const [next] = await main.transaction(undefined, (tx) => sequences.take(tx.as(), 'seq_a', 1))
    assert.ok((next ?? 0) > 1_000)
    await main.transaction(undefined, (tx) => sequences.drop(tx.as(), 'seq_a'))
    await assert.rejects(main.transaction(undefined, (tx) => sequences.take(tx.as(), 'seq_a', 1)))
  })
})
