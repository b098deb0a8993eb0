import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commerceSuite } from './support.ts'

interface Listed {
  readonly id: number
  readonly parent_id: number
  readonly path: string
}

/** The first suite of its server: only the first entry of all has the number of the tree's root. */
export const categories = commerceSuite('categories', ({ ok, refused }) => {
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

  test('commerce §8: the tree below one category, and the members that are asked for', async () => {
    const make = async (body: object) => (await ok('POST', '/api/v1/categories', { body })).data
    const top = await make({ name: 'Top' })
    const inner = await make({ name: 'Inner', tree_parent_id: top.document_id })
    await make({ name: 'Innermost', tree_parent_id: inner.document_id })
    const asked = 'fields=id,level,children_data[id,children_data]'
    assert.deepEqual(await ok('GET', `/V1/categories?rootCategoryId=${top.id}&depth=1&${asked}`), {
      id: top.id,
      level: 1,
      children_data: [{ id: inner.id, children_data: [] }],
    })
    assert.equal((await ok('GET', '/V1/categories?rootCategoryId=1')).name, 'Root Catalog')
    await refused(404, 'GET', '/V1/categories?rootCategoryId=9999')
    await refused(400, 'GET', '/V1/categories?rootCategoryId=x')
    const filter = (field: string, value: string) =>
      `searchCriteria[filterGroups][0][filters][0][field]=${field}&searchCriteria[filterGroups][0][filters][0][value]=${value}`
    const list = `/V1/categories/list?fields=items[name],total_count`
    assert.deepEqual(await ok('GET', `${list}&${filter('id', String(top.id))}`), {
      items: [{ name: 'Top' }],
      total_count: 1,
    })
    for (const [field, value] of [
      ['id', 'abc'],
      ['level', ''],
      ['is_active', 'yes'],
    ] as const) {
      await refused(400, 'GET', `${list}&${filter(field, value)}`)
    }
    assert.equal((await ok('GET', `${list}&${filter('is_active', 'true')}`)).total_count, 3)
    await ok('DELETE', `/api/v1/categories/${top.id}`)
  })

  test('commerce §8: a category under something that is none stands below the root', async () => {
    const author = (await ok('POST', '/api/v1/authors', { body: { name: 'Ann' } })).data
    const body = { name: 'Of Ann', tree_parent_id: author.document_id }
    const { id } = (await ok('POST', '/api/v1/categories', { body })).data
    const { children_data: tops } = await ok('GET', '/V1/categories')
    assert.ok(tops.some((top: Listed) => top.id === id))
    const { items } = await ok('GET', '/V1/categories/list')
    assert.equal(items.find((item: Listed) => item.id === id).path, `1/${id}`)
    await ok('DELETE', `/api/v1/categories/${id}`)
    await ok('DELETE', `/api/v1/authors/${author.id}`)
  })
})
