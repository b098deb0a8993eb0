import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { storeSuite } from './support.ts'

/** As the server of this area is started; nothing else in it shows as many. */
export const MOST_RELATED = 900
const WRITERS = 10
/** As many as any dialect shows of one list. */
const EACH = 100
const AT_ONCE = 500

/** What lies behind relations has no bound of its own: an answer has. */
export const largeAnswers = storeSuite('answers that would be too large', ({ call, data }) => {
  const writers: number[] = []

  before(async () => {
    const inverse = {
      ...{ type: 'relation', relation: 'oneToMany', target: 'book', mappedBy: 'author' },
    }
    const author = {
      ...{ type: 'relation', relation: 'manyToOne', target: 'writer', inversedBy: 'books' },
    }
    await data('POST', '/api/v1/content-types/batch', {
      body: {
        contentTypes: [
          {
            ...{ singularName: 'writer', pluralName: 'writers' },
            attributes: { name: { type: 'string' }, books: inverse },
          },
          {
            ...{ singularName: 'book', pluralName: 'books' },
            attributes: { title: { type: 'string' }, author },
          },
        ],
      },
    })
    for (let n = 0; n < WRITERS; n++) {
      writers.push((await data('POST', '/api/v1/writers', { body: { name: `Writer ${n}` } })).id)
    }
    for (let from = 0; from < WRITERS * EACH; from += AT_ONCE) {
      const operations = Array.from({ length: AT_ONCE }, (_, n) => ({
        ...{ op: 'create', data: { title: `Book ${from + n}`, author: writers[n % WRITERS] } },
      }))
      const { meta } = (await call('POST', '/api/v1/books/bulk', { body: { operations } })).body
      assert.equal(meta.created, AT_ONCE)
    }
  })

  test('scale size: an answer with too much behind its relations is refused and says how to ask for less', async () => {
    for (const path of [
      '/api/writers?populate=books',
      '/api/writers?populate=*',
      '/jsonapi/node/writer?include=books',
      '/api/v1/writers?include=books&limit=100',
      '/cms/delivery/api/v2/content?filter=contentType:writer&expand=properties[books]&take=100',
    ]) {
      const { status, body } = await call('GET', path)
      const text = JSON.stringify(body)
      assert.equal(status, 400, `${path}: ${text.slice(0, 300)}`)
      assert.match(text, new RegExp(`more than ${MOST_RELATED} related entries`))
      assert.match(text, /books/)
      assert.match(text, /page by page/)
    }
  })

  test('scale size: GraphQL refuses the field alone and says how to ask for less', async () => {
    const books = 'books(pagination: { limit: 100 }) { data { id } }'
    const few = `few: writers(pagination: { limit: 1 }) { data { id } }`
    const query = `{ ${few} writers(pagination: { limit: 10 }) { data { attributes { ${books} } } } }`
    const { status, body } = await call('POST', '/graphql', { body: { query } })
    assert.equal(status, 200)
    assert.equal(body.data.few.data.length, 1)
    assert.equal(body.data.writers, null)
    const [error] = body.errors
    assert.deepEqual(error.path, ['writers'])
    assert.equal(error.extensions.code, 'BAD_USER_INPUT')
    assert.match(
      error.message,
      new RegExp(`more than ${MOST_RELATED} related entries.*"books".*page by page`),
    )
  })

  test('scale size: asked for less, everything is shown, and ids alone are never too many', async () => {
    for (const id of writers.slice(0, 2)) {
      const { attributes } = await data('GET', `/api/writers/${id}?populate=books`)
      assert.equal(attributes.books.data.length, EACH)
    }
    const page = await data('GET', '/api/writers?populate=books&pagination[pageSize]=5')
    assert.equal(page[4].attributes.books.data.length, EACH)
    for (const path of ['/jsonapi/node/writer', '/api/v1/writers', '/api/writers']) {
      assert.equal((await call('GET', path)).status, 200, path)
    }
  })
})
