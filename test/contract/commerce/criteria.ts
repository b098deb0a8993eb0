import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { commerceSuite } from './support.ts'

type Filter = readonly [field: string, value: string, condition?: string]

/** The query of groups of filters, as clients write it. */
function criteria(groups: readonly (readonly Filter[])[], more = ''): string {
  const parts = groups.flatMap((filters, group) =>
    filters.flatMap(([field, value, condition], at) => {
      const name = (member: string) =>
        `searchCriteria[filterGroups][${group}][filters][${at}][${member}]`
      return [
        `${name('field')}=${field}`,
        `${name('value')}=${encodeURIComponent(value)}`,
        ...(condition === undefined ? [] : [`${name('conditionType')}=${condition}`]),
      ]
    }),
  )
  return `/rest/V1/products?${[...parts, more].join('&')}`
}

export const lists = commerceSuite('lists of products', (commerce) => {
  const { ok, call, save, refused } = commerce
  const LIKE: readonly Filter[] = [['sku', 'L-%', 'like']]
  let category = 0

  const skus = async (path: string) => {
    const { items } = await ok('GET', path)
    return items.map(({ sku }: { sku: string }) => sku).join()
  }
  const found = (...filters: Filter[]) => skus(criteria([LIKE, ...filters.map((each) => [each])]))

  before(async () => {
    const made = await ok('POST', '/api/v1/categories', { body: { name: 'Cups' } })
    category = made.data.id
    const attributes = (colours: string) => [{ attribute_code: 'description', value: colours }]
    const stock = (qty: number) => ({ stock_item: { qty } })
    const linked = { category_links: [{ position: 0, category_id: String(category) }] }
    await save({ sku: 'L-1', name: 'Red cup', price: 9.5, extension_attributes: stock(0) })
    await save({
      ...{ sku: 'L-2', name: 'Blue Cup', price: 10, weight: 2, visibility: 2 },
      ...{ custom_attributes: attributes('red,blue') },
      extension_attributes: { ...stock(5), ...linked },
    })
    await save({
      ...{ sku: 'L-3', name: 'Plate', price: 100, type_id: 'virtual', status: 2 },
      ...{ custom_attributes: attributes('green'), extension_attributes: stock(7) },
    })
  })

  test('commerce 6: groups are joined by AND, filters inside a group by OR', async () => {
    assert.equal(
      await skus(
        criteria([
          LIKE,
          [
            ['sku', 'L-1'],
            ['sku', 'L-3'],
          ],
        ]),
      ),
      'L-1,L-3',
    )
    assert.equal(
      await skus(
        criteria([
          LIKE,
          [
            ['price', '9.5'],
            ['price', '100'],
          ],
          [['name', 'Plate']],
        ]),
      ),
      'L-3',
    )
  })

  test('commerce 6: each condition once, numbers and times compared as such', async () => {
    const { items } = await ok('GET', criteria([[['sku', 'L-2']]]))
    const [{ id, created_at: createdAt }] = items
    assert.equal(await found(['name', 'Plate', 'eq']), 'L-3')
    assert.equal(await found(['name', 'Plate', 'neq']), 'L-1,L-2')
    assert.equal(await found(['price', '9.5', 'gt']), 'L-2,L-3')
    assert.equal(await found(['price', '10.0', 'gteq']), 'L-2,L-3')
    assert.equal(await found(['price', '10', 'gte']), 'L-2,L-3')
    assert.equal(await found(['price', '10', 'moreq']), 'L-2,L-3')
    assert.equal(await found(['price', '10', 'from'], ['price', '10', 'to']), 'L-2')
    assert.equal(await found(['price', '10', 'lt']), 'L-1')
    assert.equal(await found(['price', '10', 'lteq']), 'L-1,L-2')
    assert.equal(await found(['price', '10', 'lte']), 'L-1,L-2')
    assert.equal(await found(['sku', 'L-1,L-3', 'in']), 'L-1,L-3')
    assert.equal(await found(['sku', 'L-1,L-3', 'nin']), 'L-2')
    assert.equal(await found(['name', '%CUP', 'like']), 'L-1,L-2')
    assert.equal(await found(['name', '_lue%', 'like']), 'L-2')
    assert.equal(await found(['name', '%cup%', 'nlike']), 'L-3')
    assert.equal(await found(['weight', '', 'null']), 'L-1,L-3')
    assert.equal(await found(['weight', '', 'notnull']), 'L-2')
    assert.equal(await found(['description', 'red', 'finset']), 'L-2')
    assert.equal(await found(['description', 're', 'finset']), '')
    assert.equal(await found(['description', 'blue', 'nfinset']), 'L-1,L-3')
    assert.equal(await found(['entity_id', String(id)]), 'L-2')
    assert.equal(await found(['id', String(id), 'gt']), 'L-3')
    assert.match(await found(['created_at', createdAt, 'eq']), /L-2/)
    assert.match(await found(['created_at', createdAt, 'lteq']), /L-1,L-2/)
    assert.equal(await found(['created_at', '2020-01-01', 'to']), '')
    assert.equal(await found(['updated_at', '2020-01-01T00:00:00Z', 'gt']), 'L-1,L-2,L-3')
  })

  test('commerce 6: every field of a product can be asked for', async () => {
    assert.equal(await found(['status', '2']), 'L-3')
    assert.equal(await found(['status', '1,2', 'in']), 'L-1,L-2,L-3')
    assert.equal(await found(['status', '2', 'neq']), 'L-1,L-2')
    assert.equal(await found(['visibility', '4']), 'L-1,L-3')
    assert.equal(await found(['type_id', 'virtual']), 'L-3')
    assert.equal(await found(['attribute_set_id', '4', 'gt']), '')
    assert.equal(await found(['qty', '5', 'gteq']), 'L-2,L-3')
    assert.equal(await found(['is_in_stock', '0']), 'L-1')
    assert.equal(await found(['category_id', String(category)]), 'L-2')
    assert.equal(await found(['category_id', `${category},999`, 'in']), 'L-2')
    assert.equal(await found(['category_id', String(category), 'neq']), 'L-1,L-3')
    assert.equal(await found(['website_id', '1']), 'L-1,L-2,L-3')
    assert.equal(await found(['store_id', '2']), '')
    assert.equal(await found(['store', 'default']), 'L-1,L-2,L-3')
  })

  test('commerce 6: unknown conditions and fields are refused by name', async () => {
    const refusal = async (...filter: [string, string, string?]) =>
      JSON.stringify(await refused(400, 'GET', criteria([[filter]])))
    assert.match(await refusal('name', 'x', 'near'), /near/)
    assert.match(await refusal('colour', 'x'), /colour/)
    assert.match(await refusal('custom_attributes', 'x'), /custom_attributes/)
    assert.match(await refusal('price', 'abc', 'gt'), /price/)
    assert.match(await refusal('status', 'on'), /status/)
    const other = '/rest/V1/products?searchCriteria[pages]=1'
    assert.match(JSON.stringify(await refused(400, 'GET', other)), /pages/)
    const near = `${criteria([[['name', 'Plate']]])}searchCriteria[filterGroups][0][filters][0][condition]=neq`
    assert.match(JSON.stringify(await refused(400, 'GET', near)), /\[condition\]/)
    const dir = '/rest/V1/products?searchCriteria[sortOrders][0][field]=name'
    const down = `${dir}&searchCriteria[sortOrders][0][dir]=DESC`
    assert.match(JSON.stringify(await refused(400, 'GET', down)), /\[dir\]/)
    const sorted = '/rest/V1/products?searchCriteria[sortOrders][0][field]=colour'
    assert.match(JSON.stringify(await refused(400, 'GET', sorted)), /colour/)
    await refused(
      400,
      'GET',
      `${sorted.replace('colour', 'name')}&searchCriteria[sortOrders][0][direction]=up`,
    )
    for (const size of ['1001', '-1', 'x']) {
      await refused(400, 'GET', `/rest/V1/products?searchCriteria[pageSize]=${size}`)
    }
  })

  test('commerce 6: stray members, and members given twice, are refused instead of dropped', async () => {
    const asked = criteria([[['name', 'Plate', 'eq']]])
    const first = 'searchCriteria[filterGroups][0][filters][0]'
    const sort = 'searchCriteria[sortOrders][0][field]=name'
    for (const [more, named] of [
      ['searchCriteria[pageSize][x]=5', /page_size\]\[x/],
      ['searchCriteria[pageSize]x=5', /pageSize\]x/],
      ['searchCriteria[pageSize]=5&searchCriteria[page_size]=6', /page_size/],
      [`${first}[field][x]=name`, /field\]\[x/],
      [`${first}[value][0][x]=Plate`, /value\]\[0\]\[x/],
      [`${first}[field]=sku`, /field.*index/],
      [`${first}[conditionType]=neq`, /condition_type/],
      [`${sort}&searchCriteria[sortOrders][0][direction][x]=DESC`, /direction\]\[x/],
      [`${sort}&searchCriteria[sortOrders][0][field]=sku`, /field/],
      ['fields[]=items', /fields.*one value/],
      ['fields=total_count&fields=items', /fields.*one value/],
    ] as const) {
      const { message, parameters } = await refused(400, 'GET', `${asked}&${more}`)
      assert.match(`${message} ${JSON.stringify(parameters)}`, named, more)
    }
  })

  test('commerce 6: criteria in all their spellings, with gaps, and what was understood is echoed', async () => {
    const encoded =
      '/rest/V1/products?search_criteria%5Bfilter_groups%5D%5B7%5D%5Bfilters%5D%5B3%5D%5Bfield%5D=sku' +
      '&search_criteria%5Bfilter_groups%5D%5B7%5D%5Bfilters%5D%5B3%5D%5Bvalue%5D%5B%5D=L-1' +
      '&search_criteria%5Bfilter_groups%5D%5B7%5D%5Bfilters%5D%5B3%5D%5Bvalue%5D%5B%5D=L-2' +
      '&search_criteria%5Bfilter_groups%5D%5B7%5D%5Bfilters%5D%5B3%5D%5Bcondition_type%5D=in' +
      '&searchCriteria[sortOrders][0][field]=price&searchCriteria[sortOrders][0][direction]=desc' +
      '&searchCriteria[currentPage]=1&searchCriteria[pageSize]=1'
    const page = await ok('GET', encoded)
    assert.deepEqual(page.search_criteria, {
      filter_groups: [{ filters: [{ field: 'sku', value: 'L-1,L-2', condition_type: 'in' }] }],
      sort_orders: [{ field: 'price', direction: 'DESC' }],
      page_size: 1,
      current_page: 1,
    })
    assert.equal(page.total_count, 2)
    assert.equal(page.items[0].sku, 'L-2')
    for (const none of [
      '',
      '?searchCriteria',
      '?searchCriteria=',
      '?searchCriteria=all',
      '?searchCriteria=0',
    ]) {
      const all = await ok('GET', `/rest/V1/products${none}`)
      assert.deepEqual(all.search_criteria, { filter_groups: [], page_size: 20, current_page: 1 })
    }
    const zero = await ok(
      'GET',
      '/rest/V1/products?searchCriteria[pageSize]=0&searchCriteria[currentPage]=0',
    )
    assert.deepEqual(zero.search_criteria, { filter_groups: [], page_size: 20, current_page: 1 })
  })

  test('commerce 6: past the last page there are no items and the true total', async () => {
    const page = await ok('GET', criteria([LIKE], 'searchCriteria[currentPage]=99'))
    assert.deepEqual([page.items, page.total_count], [[], 3])
  })

  test('commerce 7: lists and single answers carry stock_item; fields cut both as asked', async () => {
    const list = await ok('GET', criteria([[['sku', 'L-2']]]))
    assert.equal(list.items[0].extension_attributes.stock_item.qty, 5)
    const fields = 'id,sku,extension_attributes[stock_item[qty]],custom_attributes[description]'
    const cut = await ok('GET', criteria([[['sku', 'L-2']]], `fields=items[${fields}],total_count`))
    const shown = {
      id: list.items[0].id,
      sku: 'L-2',
      extension_attributes: { stock_item: { qty: 5 } },
      custom_attributes: [{ attribute_code: 'description', value: 'red,blue' }],
    }
    assert.deepEqual(cut, { items: [shown], total_count: 1 })
    assert.deepEqual(await ok('GET', `/rest/V1/products/L-2?fields=${fields}`), shown)
    for (const wrong of ['items[id', 'id]', 'a[]', ',']) {
      await refused(400, 'GET', `/rest/V1/products?fields=${encodeURIComponent(wrong)}`)
    }
    const repeated = await call('GET', criteria([[['sku', 'L-2']]]))
    assert.deepEqual(repeated.body, list)
  })

  test('commerce 6: as many groups, filters and values as are taken, of categories and days too', async () => {
    const many = <Made>(count: number, make: (at: number) => Made) =>
      Array.from({ length: count }, (_, at) => make(at))
    const short = (groups: readonly (readonly Filter[])[]) =>
      criteria(groups).replaceAll('searchCriteria[filterGroups]', 'searchCriteria[filter_groups]')
    const either = (field: string, own: string, other: (at: number) => string): Filter[] =>
      many(100, (at) => [field, at === 7 ? own : other(at)])
    const none = (at: number) => `none-${at}`
    assert.equal(await skus(short([LIKE, either('sku', 'L-2', none)])), 'L-2')
    const categories = either('category_id', String(category), (at) => String(at + 9_000))
    assert.equal(await skus(short([LIKE, categories])), 'L-2')
    const day = (at: number) => new Date(Date.UTC(2019, 0, 1 + at)).toISOString().slice(0, 10)
    const days = many(99, (at): Filter[] => [['created_at', day(at), 'gteq']])
    assert.equal(await skus(short([LIKE, ...days])), 'L-1,L-2,L-3')
    const values = ['L-2', ...many(999, (at) => `n${at}`)].join()
    assert.equal(await found(['sku', values, 'in']), 'L-2')
    const ids = [category, ...many(999, (at) => 9_000 + at)].join()
    assert.equal(await found(['category_id', ids, 'in']), 'L-2')
    for (const groups of [
      [either('sku', 'L-2', none).concat([['sku', 'one more']])],
      many(101, (at): Filter[] => [['sku', none(at)]]),
      [[['sku', `${values},one-more`, 'in'] as const]],
    ]) {
      const { message, parameters } = await refused(400, 'GET', short(groups))
      assert.match(JSON.stringify([message, parameters]), /at most/)
    }
  })

  test('commerce 6: paging through 1,000 products while others are inserted shows none twice', async () => {
    const all = Array.from({ length: 1_000 }, (_, at) => `P-${at}`)
    for (let from = 0; from < all.length; from += 500) {
      const operations = all.slice(from, from + 500).map((sku, at) => ({
        op: 'create',
        data: { sku, name: `P ${at % 7}`, price: at % 10 },
      }))
      await ok('POST', '/api/v1/products/bulk', { body: { operations } })
    }
    const seen: string[] = []
    for (let page = 1; page <= 11; page++) {
      const paging = `searchCriteria[pageSize]=100&searchCriteria[currentPage]=${page}`
      const { items } = await ok('GET', criteria([[['sku', 'P-%', 'like']]], paging))
      seen.push(...items.map(({ sku }: { sku: string }) => sku))
      await save({ sku: `P-new-${page}`, name: 'New', price: 1 })
    }
    assert.equal(new Set(seen).size, seen.length)
    assert.ok(all.every((sku) => seen.includes(sku)))
  })
})
