import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { relationTo } from '#test-kit'
import { type Caller, storeSuite } from './support.ts'

const PAGES = '/api/v1/pages'
const NODES = '/jsonapi/node/page'
const DELIVERED = '/cms/delivery/api/v2/content'
const JSONAPI = { 'content-type': 'application/vnd.api+json' }
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAADUlEQVR42mNk+M/wHwAEAQH/cQhT9wAAAABJRU5ErkJggg==',
  'base64',
)

const COMPONENTS = [
  { name: 'line', attributes: { text: { type: 'string' } } },
  {
    name: 'quote',
    attributes: {
      text: { type: 'text', required: true, maxLength: 20 },
      stars: { type: 'integer' },
      writer: relationTo('manyToOne', 'writer'),
    },
  },
  {
    name: 'gallery',
    attributes: {
      title: { type: 'string' },
      cover: { type: 'media' },
      lines: { type: 'component', component: 'default.line', repeatable: true },
    },
  },
]

const SECTIONS = { type: 'dynamiczone', components: ['default.quote', 'default.gallery'] }

export async function makePages({ data }: Pick<Caller, 'data'>) {
  for (const body of COMPONENTS.slice(0, 1)) await data('POST', '/api/v1/components', { body })
  const writer = { singularName: 'writer', pluralName: 'writers' }
  await data('POST', '/api/v1/content-types', {
    body: { ...writer, attributes: { name: { type: 'string' } } },
  })
  for (const body of COMPONENTS.slice(1)) await data('POST', '/api/v1/components', { body })
  await data('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
  await data('POST', '/api/v1/content-types', {
    body: {
      ...{ singularName: 'page', pluralName: 'pages', draftAndPublish: true, localized: true },
      attributes: {
        title: { type: 'string' },
        sections: { ...SECTIONS, max: 5 },
        extras: { ...SECTIONS, components: ['default.quote'], min: 2 },
      },
    },
  })
}

type Values = Readonly<Record<string, unknown>>

/** Content model §3.1 `dynamiczone`, findings 10: a list of components of several kinds. */
export const zones = storeSuite('dynamic zones', ({ call, data }) => {
  const quote = (text: string, more: Values = {}) => ({
    __component: 'default.quote',
    text,
    ...more,
  })
  const gallery = (title: string, more: Values = {}) => ({
    __component: 'default.gallery',
    title,
    ...more,
  })
  let ada: { id: number; document_id: string }
  let file: { id: number; uuid: string }
  before(async () => {
    await makePages({ data })
    ada = await data('POST', '/api/v1/writers', { body: { name: 'Ada' } })
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(PNG)]), 'crane.png')
    file = await data('POST', '/api/v1/media', { form })
  })

  const create = (sections: unknown, more: Values = {}) =>
    data('POST', PAGES, { body: { title: 'A page', sections, ...more } })
  const three = () => [
    gallery('First', { cover: file.id, lines: [{ text: 'a' }, { text: 'b' }] }),
    quote('Second', { stars: 3, writer: ada.id }),
    gallery('Third'),
  ]
  const graphql = async (path: string, query: string, variables: object = {}) => {
    const { body } = await call('POST', `/graphql${path}`, { body: { query, variables } })
    assert.equal(body.errors, undefined, JSON.stringify(body.errors))
    return body.data
  }
  const FRAGMENTS = (form: 'cms' | 'flat') => {
    const [open, close] = form === 'cms' ? ['data{attributes{', '}}'] : ['', '']
    return `sections{__typename
      ... on ComponentDefaultQuote{id text stars writer{${open}name${close}}}
      ... on ComponentDefaultGallery{id title cover{${open}url${close}} lines{text}}}`
  }

  test('content-model 3.1: REST shows a zone with __component in its order, references by id', async () => {
    const page = await create(three())
    const [first, second, third] = page.sections
    assert.deepEqual(
      page.sections.map((part: Values) => [part['__component'], part['title'] ?? part['text']]),
      [
        ['default.gallery', 'First'],
        ['default.quote', 'Second'],
        ['default.gallery', 'Third'],
      ],
    )
    assert.deepEqual(Object.keys(first), [...['__component', 'id', 'title', 'cover_id', 'lines']])
    assert.equal(first.cover_id, file.id)
    assert.deepEqual(
      first.lines.map(({ text }: Values) => text),
      ['a', 'b'],
    )
    assert.deepEqual([second.writer_id, second.stars, third.cover_id], [ada.id, 3, null])
    assert.deepEqual(page.extras, [])
    assert.deepEqual((await data('GET', `${PAGES}/${page.id}`)).sections, page.sections)
    const whole = await data('GET', `${PAGES}/${page.id}?include=sections.writer,sections.cover`)
    assert.equal(whole.sections[1].writer.name, 'Ada')
    assert.equal(whole.sections[0].cover.id, file.id)
    const list = await data('GET', `${PAGES}?fields=title`)
    assert.ok(list.every((each: Values) => !('sections' in each)))
    assert.equal((await call('GET', `${PAGES}?include=sections.nothing`)).status, 400)
  })

  test('content-model 10: the CMS populates a zone whole, with * and by component, nested and flat', async () => {
    const { id, sections } = await create(three())
    const read = (query: string, headers = {}) =>
      data('GET', `/api/pages/${id}?fields=title&${query}`, { headers })
    const shown = async (query: string) => (await read(query)).attributes.sections
    assert.equal((await read('')).attributes.sections, undefined)
    assert.deepEqual(await shown('populate=sections'), [
      { __component: 'default.gallery', id: sections[0].id, title: 'First' },
      { __component: 'default.quote', id: sections[1].id, text: 'Second', stars: 3 },
      { __component: 'default.gallery', id: sections[2].id, title: 'Third' },
    ])
    assert.deepEqual(await shown('populate=*'), await shown('populate=sections'))
    const [first, second, third] = await shown('populate[sections][populate]=*')
    assert.equal(first.cover.data.id, file.id)
    assert.deepEqual(
      first.lines.map(({ text }: Values) => text),
      ['a', 'b'],
    )
    assert.equal(second.writer.data.attributes.name, 'Ada')
    assert.deepEqual(third.cover, { data: null })
    const galleries = 'populate[sections][on][default.gallery][populate][cover][fields]=url'
    const quotes = 'populate[sections][on][default.quote][fields]=text'
    const on = await shown(`${galleries}&${quotes}`)
    assert.deepEqual(Object.keys(on[0].cover.data.attributes), ['url'])
    assert.deepEqual(on[1], { __component: 'default.quote', id: sections[1].id, text: 'Second' })
    assert.equal(on[0].lines, undefined)
    // Findings 10: what `on` does not name is left out, and the rest keeps its order.
    const named = async (query: string) =>
      (await shown(query)).map((part: Values) => `${part['__component']} ${part['id']}`)
    const [one, two, three_] = sections
    const ofGallery = [one, three_].map(({ id }) => `default.gallery ${id}`)
    assert.deepEqual(await named('populate[sections][on][default.gallery]=true'), ofGallery)
    assert.deepEqual(await named(galleries), ofGallery)
    assert.deepEqual(await named(`populate[0]=*&${galleries}`), ofGallery)
    assert.deepEqual(await named(quotes), [`default.quote ${two.id}`])
    const none = 'populate[sections][on][default.gallery]=false'
    assert.deepEqual(await named(none), [])
    assert.deepEqual(await named(`${none}&${quotes}`), [`default.quote ${two.id}`])
    const alone = await read(quotes, { 'response-format': 'flat' })
    assert.deepEqual(alone.sections, [{ __component: 'default.quote', id: two.id, text: 'Second' }])
    const dotted = await shown('populate=sections.writer')
    assert.ok(dotted[1].writer && !dotted[0].writer)
    const deep = await shown('populate=deep')
    assert.ok(deep[1].writer && deep[0].lines)
    const flat = await read('populate=sections.writer', { 'response-format': 'flat' })
    assert.equal(flat.sections[1].writer.name, 'Ada')
    assert.equal(flat.sections[1].__component, 'default.quote')
  })

  test('content-model 10: what a zone does not have is refused by the CMS with its place', async () => {
    for (const query of [
      ...['populate=sections.nothing', 'populate[sections][on][default.line]=true'],
      ...['populate[sections][filters][text]=a', 'populate[sections][sort]=text'],
      ...['populate[sections][limit]=1', 'populate[sections][fields]=nothing'],
      ...['populate[title][on][default.quote]=true', 'populate[sections][on]=true'],
      ...['populate[sections][on][default.quote][limit]=1', 'filters[sections][text]=a'],
      ...['filters[sections][$null]=true', 'sort=sections.text', 'fields=sections'],
    ]) {
      const { status, body } = await call('GET', `/api/pages?${query}`)
      assert.equal(status, 400, query)
      assert.equal(body.error.name, 'ValidationError', query)
    }
    assert.equal((await call('GET', `${PAGES}?filters[sections][text]=1`)).status, 400)
    assert.equal((await call('GET', `${NODES}?filter[sections]=1`)).status, 400)
    const { body } = await call('GET', `${DELIVERED}?filter=properties.sections:a`)
    assert.equal(body.status, 400, JSON.stringify(body))
  })

  test('content-model 2: every dialect shows the same zone, alone and in lists', async () => {
    const { id, document_id, sections } = await create(three())
    const kinds = ['ComponentDefaultGallery', 'ComponentDefaultQuote', 'ComponentDefaultGallery']
    const attributes = (
      await graphql('', `{page(id:${id}){data{attributes{${FRAGMENTS('cms')}}}}}`)
    ).page.data.attributes
    const zone = attributes.sections as Values[]
    assert.deepEqual(
      zone.map(({ __typename }) => __typename),
      kinds,
    )
    assert.deepEqual(zone[1], {
      ...{ __typename: kinds[1], id: String(sections[1].id), text: 'Second', stars: 3 },
      writer: { data: { attributes: { name: 'Ada' } } },
    })
    const filter = `filter:{id:{eq:${id}}}`
    const offset = await graphql('/offset', `{pages(${filter}){items{${FRAGMENTS('flat')}}}}`)
    assert.equal(offset.pages.items[0].sections[1].writer.name, 'Ada')
    const one = '/connection'
    const connection = await graphql(one, `{pages(${filter}){edges{node{${FRAGMENTS('flat')}}}}}`)
    assert.deepEqual(connection.pages.edges[0].node.sections, offset.pages.items[0].sections)
    const some = 'sections{... on PageSectionsDynamicZone{...G}} extras{__typename}'
    const fragment = 'fragment G on ComponentDefaultGallery{lines{text}}'
    const spread = await graphql('/offset', `{page(id:${id}){${some}}} ${fragment}`)
    assert.deepEqual(spread.page.sections[0], { lines: [{ text: 'a' }, { text: 'b' }] })
    assert.deepEqual([spread.page.sections[1], spread.page.extras], [{}, []])

    const node = (await call('GET', `${NODES}/${document_id}`)).body.data.attributes
    const nodes = (await call('GET', NODES)).body.data
    assert.deepEqual(nodes.find((each: Values) => each['id'] === document_id).attributes, node)
    assert.deepEqual(node.sections[1], {
      ...{ type: 'default.quote', id: sections[1].id },
      attributes: {
        ...{ text: 'Second', stars: 3 },
        writer: { type: 'node--writer', id: ada.document_id },
      },
    })
    assert.equal(node.sections[0].attributes.cover.id, file.uuid)
    assert.equal(node.sections[0].attributes.lines[1].text, 'b')

    const item = (await call('GET', `${DELIVERED}/item/${document_id}`)).body
    const items = (await call('GET', `${DELIVERED}?take=100`)).body.items
    assert.deepEqual(
      items.find((each: Values) => each['id'] === document_id),
      item,
    )
    const blocks = item.properties.sections.items
    assert.deepEqual(
      blocks.map(({ content }: { content: Values }) => content['contentType']),
      ['default.gallery', 'default.quote', 'default.gallery'],
    )
    assert.deepEqual(blocks[0].content.properties.cover, [{ id: file.uuid }])
    assert.equal(blocks[0].content.properties.lines.items.length, 2)
    const expanded = await call(
      'GET',
      `${DELIVERED}/item/${document_id}?expand=properties[sections[properties[writer]]]`,
    )
    const block = expanded.body.properties.sections.items[1].content.properties
    assert.equal(block.writer.name, 'Ada')
    assert.deepEqual(item.properties.extras, { items: [] })
  })

  test('content-model 2: the CMS, JSON:API and GraphQL write zones that all read alike', async () => {
    const cms = await data('POST', '/api/pages?populate=sections', {
      body: { data: { title: 'CMS', sections: [{ ...quote('q'), unknown: 1 }, gallery('g')] } },
    })
    assert.equal(cms.attributes.sections[0].text, 'q')
    const block = { type: 'default.quote', attributes: { text: 'q', writer: null } }
    const linked = {
      ...block,
      attributes: { text: 'r', writer: { type: 'node--writer', id: ada.document_id } },
    }
    const node = await call('POST', NODES, {
      headers: JSONAPI,
      body: {
        data: {
          type: 'node--page',
          attributes: {
            ...{ title: 'JSON:API', status: true },
            sections: [block, linked, { type: 'default.gallery', attributes: { title: 'g' } }],
          },
        },
      },
    })
    assert.equal(node.status, 201, JSON.stringify(node.body))
    const made = await data('GET', `${PAGES}/${node.body.data.attributes.drupal_internal__nid}`)
    assert.deepEqual(
      made.sections.map((part: Values) => [part['__component'], part['writer_id']]),
      [
        ['default.quote', null],
        ['default.quote', ada.id],
        ['default.gallery', undefined],
      ],
    )
    const query = 'mutation($data:PageInput!){createPage(data:$data){data{id}}}'
    const sections = [gallery('g', { cover: String(file.id) }), quote('q', { writer: `${ada.id}` })]
    const { createPage } = await graphql('', query, { data: { title: 'GraphQL', sections } })
    const read = await data('GET', `${PAGES}/${createPage.data.id}`)
    assert.deepEqual([read.sections[0].cover_id, read.sections[1].writer_id], [file.id, ada.id])
    const literal = `mutation{createPage(data:{title:"L",sections:[{__component:"default.quote",text:"x"}]}){data{attributes{sections{...on ComponentDefaultQuote{text}}}}}}`
    const written = await graphql('', literal)
    assert.deepEqual(written.createPage.data.attributes.sections, [{ text: 'x' }])
  })

  test('cms-rest 6: a form brings files into components of a zone', async () => {
    const form = new FormData()
    const sections = [quote('q'), gallery('With a file')]
    form.set('data', JSON.stringify({ title: 'Form', sections }))
    form.set('files.sections.1.cover', new Blob([new Uint8Array(PNG)]), 'new.png')
    const made = await data('POST', '/api/pages?populate[sections][populate]=cover', { form })
    assert.equal(made.attributes.sections[1].cover.data.attributes.name, 'new.png')
    form.delete('files.sections.1.cover')
    form.set('files.sections.0.cover', new Blob([new Uint8Array(PNG)]), 'new.png')
    assert.equal((await call('POST', '/api/pages', { form })).status, 400)
  })

  test('content-model 3.1: ids of components stay, new ones get new ids, missing ones go', async () => {
    const page = await create(three())
    const [first, second, third] = page.sections
    const body = {
      sections: [
        { __component: 'default.quote', id: second.id, stars: 4 },
        gallery('New'),
        { __component: 'default.gallery', id: first.id },
      ],
    }
    const { sections } = await data('PATCH', `${PAGES}/${page.id}`, { body })
    assert.deepEqual(
      [sections[0].id, sections[0].text, sections[0].stars, sections[2].id, sections[2].title],
      [second.id, 'Second', 4, first.id, 'First'],
    )
    assert.ok(![first.id, second.id, third.id].includes(sections[1].id))
    assert.deepEqual(sections[2].lines, first.lines)
    const same = await data('PATCH', `${PAGES}/${page.id}`, { body: { title: 'Other' } })
    assert.deepEqual(same.sections, sections)
    const wrong = { sections: [{ __component: 'default.gallery', id: second.id }] }
    const refused = await call('PATCH', `${PAGES}/${page.id}`, { body: wrong })
    assert.equal(refused.status, 422, JSON.stringify(refused.body))
    assert.equal(refused.body.error.details[0].field, 'sections.0.id')
    const quoted = { __component: 'default.quote', id: second.id }
    const twice = await call('PATCH', `${PAGES}/${page.id}`, {
      body: { sections: [quoted, { ...quoted, text: 'Again' }] },
    })
    assert.equal(twice.status, 400, JSON.stringify(twice.body))
    assert.equal(twice.body.error.details[0].field, 'sections.1.id')
    const { id: _id, ...copy } = sections[0]
    const copied = await data('PATCH', `${PAGES}/${page.id}`, {
      body: { sections: [copy, quoted, sections[2]] },
    })
    const ids = copied.sections.map((part: { id: number }) => part.id)
    assert.equal(new Set(ids).size, 3, 'what is named elsewhere is not the one in its place')
    const cleared = await data('PATCH', `${PAGES}/${page.id}`, { body: { sections: null } })
    assert.deepEqual(cleared.sections, [])
  })

  test('content-model 11: faults in a zone are told with their paths, and nothing is written', async () => {
    const before = (await data('GET', `${PAGES}?fields=title`)).length
    const body = {
      sections: [
        { text: 'no kind' },
        { __component: 'default.line', text: 'not offered' },
        quote('x'.repeat(21)),
        { ...quote('a'), nothing: 1 },
        quote('a', { stars: 'many' }),
        'text',
      ],
    }
    const { status, body: refused } = await call('POST', PAGES, { body })
    assert.equal(status, 400, JSON.stringify(refused))
    assert.deepEqual(
      refused.error.details.map(({ field }: { field: string }) => field),
      [
        ...['sections', 'sections.0.__component', 'sections.1.__component', 'sections.2.text'],
        ...['sections.3.nothing', 'sections.4.stars', 'sections.5'],
      ],
    )
    assert.match(JSON.stringify(refused), /default\.quote, default\.gallery/)
    const cms = await call('POST', '/api/pages', { body: { data: { sections: [{ text: 'a' }] } } })
    assert.equal(cms.status, 400)
    assert.deepEqual(cms.body.error.details.errors[0].path.map(String), [
      ...['sections', '0', '__component'],
    ])
    const attributes = {
      title: 't',
      sections: [{ type: 'default.quote', attributes: { text: 1 } }],
    }
    const node = await call('POST', NODES, {
      headers: JSONAPI,
      body: { data: { type: 'node--page', attributes } },
    })
    assert.equal(node.status, 422, JSON.stringify(node.body))
    const { pointer } = node.body.errors[0].source
    assert.equal(pointer, '/data/attributes/sections/0/attributes/text')
    const unknown = await call('POST', PAGES, { body: { sections: [quote('a', { writer: 999 })] } })
    assert.equal(unknown.status, 422)
    assert.equal(unknown.body.error.details[0].field, 'sections.0.writer')
    const few = await call('POST', PAGES, { body: { title: 'a', extras: [quote('one')] } })
    assert.equal(few.body.error.details[0].field, 'extras')
    const draft = await call('POST', `${PAGES}?status=draft`, {
      body: { sections: [{ __component: 'default.quote' }] },
    })
    assert.equal(draft.status, 201, JSON.stringify(draft.body))
    const publish = await call('POST', `${PAGES}/${draft.body.data.id}/publish`)
    assert.equal(publish.body.error.details[0].field, 'sections.0.text')
    assert.equal((await data('GET', `${PAGES}?fields=title`)).length, before)
  })

  test('content-model 4, 5: drafts and languages have zones of their own until they are published', async () => {
    const page = await create(three())
    const fr = await create([quote('Bonjour')], { locale: 'fr', document_id: page.document_id })
    await data('PATCH', `${PAGES}/${page.id}?status=draft`, {
      body: { sections: [quote('Draft'), ...page.sections.slice(1)] },
    })
    const live = async (id: number) => (await data('GET', `${PAGES}/${id}`)).sections
    const working = async (id: number) =>
      (await data('GET', `/api/pages/${id}?status=draft&populate=sections`)).attributes.sections
    assert.deepEqual(await live(page.id), page.sections)
    assert.deepEqual(
      (await working(page.id)).map((part: Values) => part['text'] ?? part['title']),
      ['Draft', 'Second', 'Third'],
    )
    await data('POST', `${PAGES}/${page.id}/discard-draft`)
    assert.deepEqual((await working(page.id)).length, 3)
    assert.equal((await working(page.id))[0].title, 'First')
    await data('PATCH', `${PAGES}/${page.id}?status=draft`, { body: { sections: [quote('New')] } })
    await data('POST', `${PAGES}/${page.id}/publish`)
    assert.deepEqual(
      (await live(page.id)).map(({ text }: Values) => text),
      ['New'],
    )
    assert.deepEqual(await live(fr.id), fr.sections)
    const { document_id: id } = await create(three())
    const translated = await call('PATCH', `/fr${NODES}/${id}`, {
      headers: JSONAPI,
      body: { data: { type: 'node--page', id, attributes: { title: 'Traduit' } } },
    })
    assert.equal(translated.status, 200, JSON.stringify(translated.body))
    const blocks = translated.body.data.attributes.sections
    assert.deepEqual(
      blocks.map((block: { attributes: Values }) => block.attributes['title']),
      ['First', undefined, 'Third'],
    )
    assert.equal(blocks[1].attributes.writer.id, ada.document_id)
  })

  test('content-model 9: a file that only a zone of a public entry holds is public, and goes with its removal', async () => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(PNG)]), 'only.png')
    const only = await data('POST', '/api/v1/media', { form })
    const page = await create([gallery('g', { cover: only.id })])
    const path = `/api/pages/${page.id}?populate[sections][populate]=cover`
    const shown = (await call('GET', path, { key: null })).body.data.attributes.sections[0].cover
    assert.equal(shown.data.id, only.id)
    assert.equal((await call('DELETE', `/api/v1/media/${only.id}`)).status, 204)
    const after = (await call('GET', path, { key: null })).body.data.attributes.sections[0].cover
    assert.equal(after.data, null)
    const bob = await data('POST', '/api/v1/writers', { body: { name: 'Bob' } })
    const quoted = await create([quote('q', { writer: bob.id })])
    const populated = `/api/pages/${quoted.id}?populate=sections.writer`
    assert.equal((await data('GET', populated)).attributes.sections[0].writer.data.id, bob.id)
    await call('PATCH', `/api/v1/writers/${bob.id}`, { body: { name: 'Robert' } })
    const { writer } = (await data('GET', populated)).attributes.sections[0]
    assert.equal(writer.data.attributes.name, 'Robert')
    assert.equal((await call('DELETE', `/api/v1/writers/${bob.id}`)).status, 204)
    assert.equal((await data('GET', populated)).attributes.sections[0].writer.data, null)
    assert.equal((await call('DELETE', `${PAGES}/${quoted.id}`)).status, 204)
  })

  test('rest 10: OpenAPI and the schemas of GraphQL describe zones', async () => {
    const { body } = await call('GET', '/api/v1/openapi.json')
    const { items } = body.components.schemas.page.properties.sections
    assert.equal(items.anyOf.length, 2)
    assert.match(JSON.stringify(items), /"__component":\{"const":"default.quote"\}/)
    const query = '{__type(name:"PageSectionsDynamicZone"){kind possibleTypes{name}}}'
    for (const path of ['', '/offset', '/connection']) {
      const { __type } = await graphql(path, query)
      assert.deepEqual(__type, {
        kind: 'UNION',
        possibleTypes: [{ name: 'ComponentDefaultQuote' }, { name: 'ComponentDefaultGallery' }],
      })
    }
    const { schemas } = (await call('GET', '/cms/openapi/delivery.json')).body.components
    const kinds = schemas.page.properties.properties.properties.sections.properties.items.items
    assert.deepEqual(kinds.oneOf, [
      { $ref: '#/components/schemas/component.default.quote' },
      { $ref: '#/components/schemas/component.default.gallery' },
    ])
  })
})
