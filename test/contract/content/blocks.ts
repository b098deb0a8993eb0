import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { storeSuite } from './support.ts'

const NOTES = '/api/v1/notes'
const NODES = '/jsonapi/node/note'
const DELIVERED = '/cms/delivery/api/v2/content'
const JSONAPI = { 'content-type': 'application/vnd.api+json' }

/** Content model §3.1 richtext, findings 11: rich text as a list of nodes. */
export const blocks = storeSuite('rich text as blocks', ({ call, data }) => {
  const words = (text: string, more: object = {}) => ({ type: 'text', text, ...more })
  const paragraph = (...children: object[]) => ({ type: 'paragraph', children })
  const BODY = [
    { type: 'heading', level: 2, children: [words('Harbour Cranes')] },
    paragraph(words('They are '), words('tall', { bold: true }), words(' and ÉLÉGANT.')),
  ]
  const HTML = '<h2>Harbour Cranes</h2>\n<p>They are <strong>tall</strong> and ÉLÉGANT.</p>'

  before(async () => {
    const body = { type: 'richtext', format: 'blocks' }
    await data('POST', '/api/v1/components', {
      body: { name: 'aside', attributes: { body: { type: 'blocks' } } },
    })
    await data('POST', '/api/v1/content-types', {
      body: {
        ...{ singularName: 'note', pluralName: 'notes', draftAndPublish: true },
        attributes: {
          title: { type: 'string' },
          body: { ...body, required: true, maxLength: 200 },
          plain: { type: 'text' },
          markup: { type: 'richtext' },
          asides: { type: 'dynamiczone', components: ['default.aside'] },
        },
      },
    })
  })
  const create = (body: unknown, more: object = {}) =>
    data('POST', NOTES, { body: { title: 'A note', body, ...more } })

  test('content-model 2: blocks are JSON in REST, the CMS and GraphQL, and HTML where a dialect renders', async () => {
    const { id, document_id, body } = await create(BODY, {
      asides: [{ __component: 'default.aside', body: BODY }],
    })
    assert.deepEqual(body, BODY)
    const cms = await data('GET', `/api/notes/${id}?populate=asides`)
    assert.deepEqual(cms.attributes.body, BODY)
    assert.deepEqual(cms.attributes.asides[0].body, BODY)
    for (const path of ['', '/offset', '/connection']) {
      const shown = path === '' ? 'data{attributes{body}}' : 'body'
      const query = `{note(id:${id}){${shown}}}`
      const { note } = (await call('POST', `/graphql${path}`, { body: { query } })).body.data
      assert.deepEqual((path === '' ? note.data.attributes : note).body, BODY)
    }
    const node = (await call('GET', `${NODES}/${document_id}`)).body.data.attributes
    const rendered = { value: BODY, format: 'blocks', processed: HTML, summary: null }
    assert.deepEqual(node.body, rendered)
    assert.deepEqual(node.asides[0].attributes.body, rendered)
    const item = (await call('GET', `${DELIVERED}/item/${document_id}`)).body.properties
    assert.deepEqual(item.body, { markup: HTML, blocks: [] })
    assert.deepEqual(item.asides.items[0].content.properties.body, item.body)
    const schema = await data('GET', '/api/content-type-builder/content-types/api::note.note')
    assert.equal(schema.schema.attributes.body.type, 'blocks')
    const { attributes } = await data('GET', '/api/v1/components/default.aside')
    assert.deepEqual(attributes.body, { type: 'richtext', format: 'blocks' })
  })

  test('content-model 2: the CMS, JSON:API and GraphQL write them', async () => {
    const cms = await data('POST', '/api/notes', { body: { data: { body: BODY } } })
    assert.deepEqual(cms.attributes.body, BODY)
    for (const body of [BODY, { value: BODY, format: 'blocks' }]) {
      const sent = { data: { type: 'node--note', attributes: { title: 'a', body, status: true } } }
      const node = await call('POST', NODES, { headers: JSONAPI, body: sent })
      assert.equal(node.status, 201, JSON.stringify(node.body))
      assert.equal(node.body.data.attributes.body.processed, HTML)
    }
    const query = 'mutation($data:NoteInput!){createNote(data:$data){data{attributes{body}}}}'
    const variables = { data: { body: BODY } }
    const made = await call('POST', '/graphql', { body: { query, variables } })
    assert.deepEqual(made.body.data.createNote.data.attributes.body, BODY)
  })

  test('content-model 11: an unknown node is refused with its path in the shape of each dialect', async () => {
    const wrong = [paragraph(words('a')), paragraph({ type: 'video', url: 'x' })]
    const rest = await call('POST', NOTES, { body: { body: wrong } })
    assert.equal(rest.status, 400)
    assert.deepEqual(
      rest.body.error.details.map(({ field, code }: Record<string, string>) => [field, code]),
      [['body.1.children.0.type', 'blocks']],
    )
    const cms = await call('POST', '/api/notes', { body: { data: { body: wrong } } })
    assert.equal(cms.status, 400)
    assert.deepEqual(cms.body.error.details.errors[0].path.map(String), [
      ...['body', '1', 'children', '0', 'type'],
    ])
    const sent = (body: unknown) => ({ data: { type: 'node--note', attributes: { body } } })
    const node = await call('POST', NODES, { headers: JSONAPI, body: sent(wrong) })
    assert.equal(node.status, 422)
    assert.equal(node.body.errors[0].source.pointer, '/data/attributes/body/1/children/0/type')
    const valued = sent({ value: wrong, format: 'blocks' })
    const { body } = await call('POST', NODES, { headers: JSONAPI, body: valued })
    assert.equal(body.errors[0].source.pointer, '/data/attributes/body/value/1/children/0/type')
    for (const value of ['<p>markup</p>', { value: BODY, format: 'markdown' }, 7]) {
      assert.equal((await call('POST', NOTES, { body: { body: value } })).status, 400)
    }
    const long = [paragraph(words('x'.repeat(201)))]
    assert.equal((await call('POST', NOTES, { body: { body: long } })).status, 400)
    const markup = { markup: { value: 'a', format: 'blocks' }, body: BODY }
    assert.equal((await call('POST', NOTES, { body: markup })).status, 400)
    const empty = await call('POST', NOTES, { body: { body: [] } })
    assert.equal(empty.body.error.details[0].code, 'required')
  })

  test('content-model 10: blocks are found by what people read, and cannot be compared', async () => {
    const { id } = await create([paragraph(words('Zwölf '), words('Möwen', { italic: true }))])
    const found = async (text: string) =>
      (await data('GET', `/api/notes?_q=${encodeURIComponent(text)}`)).map(
        (each: { id: number }) => each.id,
      )
    assert.deepEqual(await found('ZWÖLF MÖWEN'), [id])
    assert.deepEqual(await found('italic'), [])
    const query = encodeURIComponent('möwen')
    const hits = await data('GET', `/api/v1/search?q=${query}`)
    assert.equal(hits.length, 1, JSON.stringify(hits))
    assert.match(JSON.stringify(hits[0]), /<mark>Möwen<\/mark>/)
    for (const wrong of ['filters[body][$contains]=a', 'sort=body', 'filters[body]=a']) {
      assert.equal((await call('GET', `/api/notes?${wrong}`)).status, 400, wrong)
    }
    const missing = await data('GET', '/api/notes?filters[body][$null]=true')
    assert.deepEqual(missing, [])
  })

  test('content-model 14: text becomes paragraphs, blocks become text or markup, markup does not become blocks', async () => {
    const { id } = await create(BODY, { plain: 'One\nTwo', markup: '<p>Three</p>' })
    const patch = (attributes: object, query = '') =>
      call('PATCH', `/api/v1/content-types/note${query}`, { body: { attributes } })
    const asBlocks = { type: 'richtext', format: 'blocks' }
    const refused = await patch({ markup: asBlocks })
    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    const changed = await patch({ plain: asBlocks, body: { type: 'text' } })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const after = await data('GET', `${NOTES}/${id}`)
    assert.deepEqual(after.plain, [paragraph(words('One')), paragraph(words('Two'))])
    assert.equal(after.body, 'Harbour Cranes\nThey are tall and ÉLÉGANT.')
    assert.equal((await patch({ plain: { type: 'richtext' } })).status, 200)
    assert.equal((await data('GET', `${NOTES}/${id}`)).plain, '<p>One</p>\n<p>Two</p>')
  })
})
