import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { relationTo } from '#test-kit'
import { storeSuite } from './support.ts'

/** Looks like more members than it is, in every way that JSON has to say so. */
const TRAP = `${String.raw`,"count":99,"ok":true} \" \\`}\u2028"\n漢字 "note":"x"`

/** `good` is shown as it is stored, `crate` has what each dialect shows in a way of its own. */
const TYPES = [
  {
    singularName: 'maker',
    pluralName: 'makers',
    attributes: {
      name: { type: 'string' },
      mail: { type: 'email' },
      secret: { type: 'string', private: true },
      goods: relationTo('oneToMany', 'good', { mappedBy: 'maker' }),
    },
  },
  { singularName: 'label', pluralName: 'labels', attributes: { text: { type: 'string' } } },
  {
    singularName: 'safe',
    pluralName: 'safes',
    publicRead: false,
    attributes: { name: { type: 'string' } },
  },
  {
    singularName: 'good',
    pluralName: 'goods',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string' },
      slug: { type: 'uid', targetField: 'title' },
      note: { type: 'text' },
      count: { type: 'integer' },
      price: { type: 'decimal' },
      ratio: { type: 'float' },
      ok: { type: 'boolean' },
      grade: { type: 'enumeration', enum: ['a', 'b'] },
      day: { type: 'date' },
      secret: { type: 'string', private: true },
      maker: relationTo('manyToOne', 'maker', { inversedBy: 'goods' }),
      labels: relationTo('manyToMany', 'label'),
      safe: relationTo('manyToOne', 'safe'),
    },
  },
  {
    singularName: 'crate',
    pluralName: 'crates',
    localized: true,
    attributes: {
      name: { type: 'string' },
      count: { type: 'integer' },
      data: { type: 'json' },
      after: { type: 'string' },
      big: { type: 'biginteger' },
      text: { type: 'richtext' },
      seen: { type: 'datetime' },
      words: { type: 'tags' },
      maker: relationTo('manyToOne', 'maker'),
    },
  },
  {
    singularName: 'slip',
    pluralName: 'slips',
    draftAndPublish: true,
    attributes: {
      name: { type: 'string' },
      good: relationTo('manyToOne', 'good'),
      crate: relationTo('manyToOne', 'crate'),
      safe: relationTo('oneToOne', 'safe'),
      maker: relationTo('oneToOne', 'maker'),
    },
  },
]

const GOODS = '/jsonapi/node/good'
const DELIVERED = '/cms/delivery/api/v2/content'

interface Resource {
  readonly id: string
}

/** An entry looks the same in a list and by itself, and stays so when something changes. */
export const listedAlike = storeSuite(
  'entries in lists and by themselves',
  ({ call, ok, data }) => {
    const create = (plural: string, body: object) => data('POST', `/api/v1/${plural}`, { body })
    const read = async (path: string) => {
      const { status, body } = await call('GET', path, { key: null })
      assert.equal(status, 200, `${path} ${JSON.stringify(body)}`)
      return body
    }
    const texts = (items: readonly object[]) => items.map((item) => JSON.stringify(item))

    before(async () => {
      await ok('POST', '/api/v1/content-types/batch', { body: { contentTypes: TYPES } })
      await ok('POST', '/api/v1/locales', { body: { code: 'de', name: 'Deutsch' } })
      const ada = await create('makers', { name: `Ada ${TRAP}`, mail: 'ada@example.org' })
      const bob = await create('makers', { name: 'Bob', secret: 'never shown' })
      const labels = [
        await create('labels', { text: 'new' }),
        await create('labels', { text: TRAP }),
      ]
      const safe = await create('safes', { name: 'Gold' })
      const all = { labels: labels.map(({ id }) => id), safe_id: safe.id }
      const first = await create('goods', {
        ...{ title: `One ${TRAP}`, note: TRAP, count: 1, price: 1.5, ratio: 0.25, ok: true },
        ...{ grade: 'a', day: '2026-01-02', secret: 'never shown', maker_id: ada.id, ...all },
      })
      await create('goods', { title: 'Two', count: 2, ok: false, maker_id: bob.id })
      await create('goods', { title: 'Three', count: 3, maker_id: ada.id, labels: [labels[0].id] })
      await create('goods', { count: 4, status: 'published' })
      const draft = { title: 'Draft', count: 5, status: 'draft', maker_id: bob.id }
      const { id: unseen } = await create('goods', draft)
      await create('goods', { title: 'Below', count: 6, tree_parent_id: first.document_id })
      const crate = {
        ...{ name: 'Crate', data: { after: 1, count: [2] }, after: TRAP, big: '12345678901' },
        ...{ text: '<p>Hi</p>', seen: '2026-01-02T03:04:05.678Z', words: ['x', TRAP] },
      }
      const english = await create('crates', { ...crate, count: 1, locale: 'en', maker_id: ada.id })
      await create('crates', { ...crate, count: 2, locale: 'de', document_id: english.document_id })
      await create('crates', { name: 'Empty', count: 3, locale: 'en' })
      const held = { good_id: first.id, crate_id: english.id, safe_id: safe.id, maker_id: bob.id }
      await create('slips', { name: 'Full', status: 'published', ...held })
      await create('slips', { name: 'Draft', status: 'published', good_id: unseen })
      await create('slips', { name: 'Nothing', status: 'published' })
    })

    /** One twice: the second answer comes from memory. */
    const NUMBERS = [1, 2, 3, 4, 2]

    const JSONAPI = [
      '',
      'include=maker',
      'include=labels,maker',
      'include=maker.goods',
      'fields[node--good]=title,count,maker,note',
      'fields[node--good]=uid',
      'include=maker&fields[node--maker]=mail&fields[node--good]=maker',
    ]

    test('jsonapi 1: a resource in a list is, member by member, the resource asked for by itself', async () => {
      for (const shown of JSONAPI) {
        for (const number of NUMBERS) {
          const filter = `filter[c][condition][path]=count&filter[c][condition][operator]=%3E%3D&filter[c][condition][value]=${number}`
          const list = await read(`${GOODS}?${shown}&${filter}&sort=drupal_internal__nid`)
          assert.deepEqual(list.meta, { count: 6 - number })
          assert.equal(list.data.length, 6 - number)
          const ones = await Promise.all(
            list.data.map(({ id }: Resource) => read(`${GOODS}/${id}?${shown}`)),
          )
          assert.deepEqual(texts(list.data), texts(ones.map((one) => one.data)))
          if (!shown.includes('include=')) continue
          const own = new Set(list.data.map(({ id }: Resource) => id))
          const included = ones.flatMap((one) => one.included).filter(({ id }) => !own.has(id))
          assert.deepEqual(new Set(texts(list.included)), new Set(texts(included)))
          assert.equal(list.included.length, new Set(texts(included)).size, 'each once')
        }
      }
    })

    test('jsonapi 1: the same of what is shown otherwise than it is stored, in each language', async () => {
      for (const path of ['/jsonapi', '/de/jsonapi']) {
        for (const shown of ['', 'include=maker', 'fields[node--crate]=name,after,maker']) {
          const list = await read(`${path}/node/crate?${shown}&sort=drupal_internal__nid`)
          assert.equal(list.data.length, 2)
          for (const item of list.data) {
            const one = await read(`${path}/node/crate/${item.id}?${shown}`)
            assert.equal(JSON.stringify(item), JSON.stringify(one.data))
          }
        }
      }
    })

    const DELIVERY = [
      '',
      'expand=properties[maker]',
      'expand=properties[$all]',
      'fields=properties[count,note]',
      'expand=properties[maker]&fields=properties[ok,maker[properties[mail]]]',
    ]

    test('delivery 2: an item in a list is, member by member, the item asked for by itself', async () => {
      for (const shown of DELIVERY) {
        for (const number of NUMBERS) {
          for (const type of ['good', 'crate', 'good,crate']) {
            const filter = `filter=contentType:${type}&filter=properties.count>:${number}`
            const list = await read(
              `${DELIVERED}?${shown}&${encodeURI(filter)}&sort=createDate:asc`,
            )
            assert.equal(list.total, list.items.length)
            const ones = await Promise.all(
              list.items.map(({ id }: Resource) => read(`${DELIVERED}/item/${id}?${shown}`)),
            )
            assert.deepEqual(texts(list.items), texts(ones))
          }
        }
      }
    })

    const CMS = [
      'populate=maker',
      'populate=labels',
      'populate[0]=maker&populate[1]=labels',
      'populate[maker][populate]=goods',
      'populate[labels][limit]=1&populate[labels][sort]=text',
      'fields=title,count',
      'fields=note&populate[maker][fields]=name',
      'populate=*',
    ]

    test('cms-rest 2: the same of relations to many and of chosen fields, in both forms', async () => {
      for (const headers of [{}, { 'response-format': 'flat' }]) {
        for (const shown of CMS) {
          for (const number of NUMBERS) {
            const filter = `filters[count][$gte]=${number}&sort=id`
            const { body } = await call('GET', `/api/goods?${shown}&${filter}`, {
              key: null,
              headers,
            })
            assert.equal(body.meta?.pagination.total, 6 - number, JSON.stringify(body))
            for (const item of body.data) {
              const one = await call('GET', `/api/goods/${item.id}?${shown}`, {
                key: null,
                headers,
              })
              assert.equal(JSON.stringify(item), JSON.stringify(one.body.data))
            }
          }
        }
      }
    })

    const REST = ['', 'include=maker', 'fields=name,maker_id,path', 'status=all', 'count=false']

    test('rest-conventions 2: a record in a list is, member by member, the record asked for by itself', async () => {
      for (const version of ['v1', 'v2']) {
        for (const shown of REST) {
          for (const sort of ['sort=id', 'sort=name&order=desc', 'filters[id][$gt]=0']) {
            const list = await data('GET', `/api/${version}/slips?${shown}&${sort}`)
            assert.equal(list.length, 3)
            const own = shown.replace('count=false', '')
            const ones = await Promise.all(
              list.map(({ id }: Resource) => data('GET', `/api/${version}/slips/${id}?${own}`)),
            )
            assert.deepEqual(texts(list), texts(ones))
          }
        }
      }
    })

    test('content-model 4: what an entry refers to is named as far as its reader sees it', async () => {
      const [full, draft, nothing] = await data('GET', '/api/v1/slips?sort=id')
      const [good] = await data('GET', '/api/v1/goods?sort=id')
      const [crate] = await data('GET', '/api/v1/crates?sort=id')
      assert.deepEqual([full.good_id, full.crate_id], [good.id, crate.id])
      assert.deepEqual([draft.good_id, draft.crate_id, nothing.safe_id], [null, null, null])
      const [, working] = await data('GET', '/api/v1/slips?sort=id&status=all')
      const [unseen] = await data('GET', '/api/v1/goods?status=draft')
      assert.equal(working.good_id, unseen.id)
      const [shown] = await data('GET', '/api/v2/slips?sort=id')
      assert.deepEqual([shown.good_id, shown.crate_id], [good.document_id, crate.document_id])
    })

    test('what belongs to an entry is shown as it is now', async () => {
      const paths = [
        `${GOODS}?include=maker&sort=title`,
        `${DELIVERED}?expand=properties[maker]&filter=contentType:good&sort=name:asc`,
        '/api/goods?populate=maker&sort=title',
      ]
      const shown = () => Promise.all(paths.map(async (path) => JSON.stringify(await read(path))))
      const [maker] = await data('GET', '/api/v1/makers?sort=id&order=desc')
      for (const name of ['Bert', 'Bruno', 'Boris']) {
        await data('PATCH', `/api/v1/makers/${maker.id}`, { body: { name } })
        for (const text of await shown()) assert.ok(text.includes(`"${name}"`), name)
      }
      assert.equal((await call('DELETE', `/api/v1/makers/${maker.id}`)).status, 204)
      for (const text of await shown()) assert.equal(text.includes('"Boris"'), false)
    })

    test('content-model 17: a page of 100 asks no more of the store than a page of 10', async () => {
      const labels = await data('GET', '/api/v1/labels')
      const [safe] = await data('GET', '/api/v1/safes')
      const operations = Array.from({ length: 100 }, (_, index) => ({
        op: 'create',
        data: { title: `Many ${index}`, labels: [labels[index % 2].id], safe_id: safe.id },
      }))
      await ok('POST', '/api/v1/goods/bulk', { body: { operations } })
      const statements = async () => {
        const { body } = await call('GET', '/metrics')
        return Number(/^storage_read_statements (\d+)$/m.exec(body)?.[1])
      }
      for (const path of ['/api/goods?populate=maker,labels,safe&', '/api/goods?populate=*&']) {
        const asked = []
        for (const size of [10, 100]) {
          const before = await statements()
          const page = await ok('GET', `${path}sort=id:desc&pagination[pageSize]=${size}`)
          assert.equal(page.data.length, size)
          asked.push((await statements()) - before)
        }
        const [few = 0, many = 0] = asked
        assert.equal(many, few, path)
        assert.ok(few >= 4 && few <= 5, `the page and each relation are asked: ${few}`)
      }
    })
  },
)
