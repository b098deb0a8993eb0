import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commerceSuite } from './support.ts'

interface Listed {
  readonly id: number
  readonly parent_id: number
  readonly path: string
}

/** The first suite of its server: only the first entry of all has the number of the tree's root. */
export const categories = commerceSuite('categories', ({ ok }) => {
  test('a category with the number of the root is not its own parent', async () => {
    const make = async (body: object) => (await ok('POST', '/api/v1/categories', { body })).data
    const first = await make({ name: 'First' })
    assert.equal(first.id, 1)
    const inner = await make({ name: 'Inner', tree_parent_id: first.document_id })
    const tree = await ok('GET', '/V1/categories')
    assert.deepEqual([tree.id, tree.parent_id, tree.level], [0, null, 0])
    const [top] = tree.children_data
    assert.deepEqual([top.id, top.parent_id, top.level], [1, 0, 1])
    assert.deepEqual([top.children_data[0].id, top.children_data[0].parent_id], [inner.id, 1])
    const { items } = await ok('GET', '/V1/categories/list')
    assert.deepEqual(
      items.map(({ id, parent_id, path }: Listed) => [id, parent_id, path]),
      [
        [1, 0, '0/1'],
        [inner.id, 1, `0/1/${inner.id}`],
      ],
    )
    await ok('DELETE', `/api/v1/categories/${inner.id}`)
    await ok('DELETE', '/api/v1/categories/1')
    const other = await make({ name: 'Other' })
    const after = await ok('GET', '/V1/categories')
    assert.deepEqual([after.id, after.parent_id], [1, 0])
    assert.deepEqual(
      after.children_data.map(({ id, parent_id }: Listed) => [id, parent_id]),
      [[other.id, 1]],
    )
    await ok('DELETE', `/api/v1/categories/${other.id}`)
  })
})
