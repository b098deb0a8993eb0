import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cmsSuite, PNG, picture } from './support.ts'

export const uploads = cmsSuite('uploads of the CMS dialect', (cms) => {
  const { call, ok, create, keys, server } = cms
  const stored = () => {
    const directory = join(server().dataDir, 'uploads')
    return existsSync(directory)
      ? readdirSync(directory).filter((name) => name.endsWith('.png'))
      : []
  }

  function formOf(files: readonly File[], fields: Record<string, unknown> = {}): FormData {
    const form = new FormData()
    for (const file of files) form.append('files', file)
    for (const [name, value] of Object.entries(fields)) {
      form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return form
  }

  test('cms-rest 13: one file, several, and what is said of them', async () => {
    const one = await call('POST', '/api/upload', { key: keys.write, form: formOf([picture()]) })
    assert.equal(one.status, 200, JSON.stringify(one.body))
    assert.equal(one.body.length, 1)
    const [file] = one.body
    assert.equal(file.name, 'dot.png')
    assert.equal(file.mime, 'image/png')
    assert.deepEqual([file.width, file.height], [1, 1])
    assert.equal(file.attributes, undefined)
    const bytes = await fetch(`${server().url}${file.url}`)
    assert.deepEqual(Buffer.from(await bytes.arrayBuffer()), PNG)

    const many = await ok('POST', '/api/upload', {
      form: formOf([picture('a.png'), picture('b.png')], {
        fileInfo: [{ name: 'A', alternativeText: 'first' }, { caption: 'second' }],
      }),
    })
    assert.deepEqual(
      many.map(({ name, alternativeText, caption }: Record<string, unknown>) => [
        name,
        alternativeText,
        caption,
      ]),
      [
        ['A', 'first', null],
        ['b.png', null, 'second'],
      ],
    )
    const single = await ok('POST', '/api/upload', {
      form: formOf([picture('c.png')], { fileInfo: { alternativeText: 'third' } }),
    })
    assert.equal(single[0].alternativeText, 'third')
  })

  test('cms-rest 13: each of several fileInfo goes with its own file, and none is dropped', async () => {
    const names = (files: readonly Record<string, unknown>[]) =>
      files.map(({ name, alternativeText }) => [name, alternativeText])
    const infos = [{ alternativeText: 'first' }, { name: 'B' }, { alternativeText: 'third' }]
    const sent = (files: readonly File[], parts: readonly object[]) => {
      const form = formOf(files)
      for (const part of parts) form.append('fileInfo', JSON.stringify(part))
      return { form }
    }
    const files = ['a.png', 'b.png', 'c.png'].map(picture)
    assert.deepEqual(names(await ok('POST', '/api/upload', sent(files, infos))), [
      ['a.png', 'first'],
      ['B', null],
      ['c.png', 'third'],
    ])
    assert.deepEqual(names(await ok('POST', '/api/upload', sent(files, infos.slice(0, 1)))), [
      ['a.png', 'first'],
      ['b.png', null],
      ['c.png', null],
    ])
    const [{ id }] = await ok('POST', '/api/upload', sent([picture()], []))
    const before = stored().length
    for (const [path, refused] of [
      ['/api/upload', sent(files.slice(1), infos)],
      ['/api/upload', sent(files.slice(1), [infos])],
      ['/api/upload', sent(files, [infos, infos])],
      [`/api/upload?id=${id}`, sent([], infos)],
    ] as const) {
      const { status, body } = await call('POST', path, refused)
      assert.equal(status, 400)
      assert.equal(body.error.details.errors[0].path[0], 'fileInfo')
    }
    const twice = formOf([picture()], { ref: 'article', refId: '1', field: 'cover' })
    twice.append('refId', '2')
    const { status, body } = await call('POST', '/api/upload', { form: twice })
    assert.deepEqual([status, body.error.message], [400, 'refId must be sent once'])
    assert.equal(stored().length, before)
  })

  test('cms-rest 13: attached to an entry by ref', async () => {
    const id = await create('articles', { title: 'With files' })
    const ref = { ref: 'api::article.article', refId: String(id) }
    const [cover] = await ok('POST', '/api/upload', {
      form: formOf([picture('cover.png')], { ...ref, field: 'cover' }),
    })
    const one = await ok('POST', '/api/upload', {
      form: formOf([picture('g1.png')], { ...ref, field: 'gallery' }),
    })
    const two = await ok('POST', '/api/upload', {
      form: formOf([picture('g2.png'), picture('g3.png')], {
        ref: 'articles',
        refId: String(id),
        field: 'gallery',
      }),
    })
    const { attributes } = (await ok('GET', `/api/articles/${id}?populate=cover,gallery`)).data
    assert.equal(attributes.cover.data.id, cover.id)
    assert.deepEqual(
      attributes.gallery.data.map((file: { id: number }) => file.id),
      [one[0].id, two[0].id, two[1].id],
    )
    const before = stored().length
    for (const [fields, path] of [
      [{ ref: 'nothing', refId: String(id), field: 'cover' }, 'ref'],
      [{ ...ref, field: 'title' }, 'field'],
      [{ ref: 'article' }, 'ref'],
    ] as const) {
      const refused = await call('POST', '/api/upload', { form: formOf([picture()], fields) })
      assert.equal(refused.status, 400)
      assert.deepEqual(refused.body.error.details.errors[0].path, [path])
    }
    const missing = { ref: 'article', refId: '4711', field: 'cover' }
    const unknown = await call('POST', '/api/upload', { form: formOf([picture()], missing) })
    assert.equal(unknown.status, 404)
    const twice = formOf([picture(), picture()], { ...ref, field: 'cover' })
    assert.equal((await call('POST', '/api/upload', { form: twice })).status, 400)
    assert.equal(stored().length, before, 'refused uploads leave no bytes')
  })

  test('cms-rest 13: replaced, described, listed, deleted', async () => {
    const [file] = await ok('POST', '/api/upload', { form: formOf([picture('old.png')]) })
    const described = await ok('POST', `/api/upload?id=${file.id}`, {
      form: formOf([], { fileInfo: { alternativeText: 'said', name: 'renamed' } }),
    })
    assert.equal(described.id, file.id)
    assert.equal(described.alternativeText, 'said')
    assert.equal(described.name, 'renamed')
    assert.equal(described.url, file.url)
    const replaced = await ok('POST', `/api/upload?id=${file.id}`, {
      form: formOf([picture('new.png')]),
    })
    assert.equal(replaced.id, file.id)
    assert.notEqual(replaced.hash, file.hash)
    assert.equal((await fetch(`${server().url}${file.url}`)).status, 404)
    assert.equal((await fetch(`${server().url}${replaced.url}`)).status, 200)
    const several = formOf([picture(), picture()])
    assert.equal((await call('POST', `/api/upload?id=${file.id}`, { form: several })).status, 400)
    const none = formOf([picture()])
    assert.equal((await call('POST', '/api/upload?id=4711', { form: none })).status, 404)

    const list = await ok('GET', '/api/upload/files', { key: keys.read })
    assert.ok(Array.isArray(list))
    assert.ok(list.some(({ id }: { id: number }) => id === file.id))
    const found = await ok('GET', '/api/upload/files?filters[alternativeText][$eqi]=SAID')
    assert.deepEqual(
      found.map(({ id }: { id: number }) => id),
      [file.id],
    )
    const sorted = await ok('GET', '/api/upload/files?sort=id:desc&limit=1&start=1')
    assert.equal(sorted.length, 1)
    assert.equal((await call('GET', '/api/upload/files?filters[nothing]=1')).status, 400)
    assert.equal((await call('GET', '/api/upload/files', { key: null })).status, 401)
    const one = await ok('GET', `/api/upload/files/${file.id}`, { key: keys.read })
    assert.equal(one.id, file.id)
    assert.equal((await call('GET', '/api/upload/files/4711')).status, 404)

    const used = await create('articles', { title: 'Uses it', cover: file.id })
    assert.equal(
      (await call('DELETE', `/api/upload/files/${file.id}`, { key: keys.read })).status,
      403,
    )
    const gone = await ok('DELETE', `/api/upload/files/${file.id}`)
    assert.equal(gone.id, file.id)
    assert.equal((await call('GET', `/api/upload/files/${file.id}`)).status, 404)
    const entry = await ok('GET', `/api/articles/${used}?populate=cover`)
    assert.equal(entry.data.attributes.cover.data, null)
  })

  test('cms-rest 13: without a file 400, without a key 401, with broken words 400', async () => {
    const empty = await call('POST', '/api/upload', { form: formOf([], { fileInfo: {} }) })
    assert.equal(empty.status, 400)
    assert.equal(empty.body.error.name, 'ValidationError')
    assert.equal((await call('POST', '/api/upload')).status, 400)
    const anonymous = await call('POST', '/api/upload', { key: null, form: formOf([picture()]) })
    assert.equal(anonymous.status, 401)
    const before = stored().length
    const broken = formOf([picture()], { fileInfo: '{' })
    assert.equal((await call('POST', '/api/upload', { form: broken })).status, 400)
    const wrong = formOf([picture()], { fileInfo: { name: 7 } })
    assert.equal((await call('POST', '/api/upload', { form: wrong })).status, 400)
    const large = new File([PNG, Buffer.alloc(300_000)], 'large.png', { type: 'image/png' })
    const tooLarge = await call('POST', '/api/upload', { form: formOf([picture(), large]) })
    assert.equal(tooLarge.status, 413)
    assert.equal(tooLarge.body.error.name, 'PayloadTooLargeError')
    const tooMany = formOf(Array.from({ length: 6 }, () => picture()))
    assert.equal((await call('POST', '/api/upload', { form: tooMany })).status, 413)
    assert.equal(stored().length, before)
  })

  test('forms of other makers: a part that says it is JSON, an input without a file', async () => {
    const boundary = 'x-x'
    const text = [
      `--${boundary}`,
      'content-disposition: form-data; name="data"',
      'content-type: application/json',
      '',
      '{"title":"By another maker"}',
      `--${boundary}`,
      'content-disposition: form-data; name="files.cover"; filename=""',
      'content-type: application/octet-stream',
      '',
      '',
      `--${boundary}--`,
      '',
    ].join('\r\n')
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const { data } = await ok('POST', '/api/articles?populate=cover', { text, headers })
    assert.equal(data.attributes.title, 'By another maker')
    assert.equal(data.attributes.cover.data, null)
    const broken = text.replace('{"title"', '{title')
    assert.equal((await call('POST', '/api/articles', { text: broken, headers })).status, 400)
    for (const name of [' name="data"', ' name="files.cover"']) {
      const nameless = text.replace(name, ' x="1"').replace('filename=""', 'filename="a.txt"')
      const { status, body } = await call('POST', '/api/articles', { text: nameless, headers })
      assert.equal(status, 400)
      assert.match(JSON.stringify(body), /each of its parts needs a name/)
    }
  })

  test('cms-rest 13: an entry and its files in one request, or neither', async () => {
    const form = new FormData()
    form.append('files.cover', picture('cover.png'))
    form.append(
      'data',
      JSON.stringify({ title: 'All at once', blocks: [{ heading: 'b' }], seo: {} }),
    )
    form.append('files.gallery', picture('g1.png'))
    form.append('files.gallery', picture('g2.png'))
    form.append('files.blocks.0.image', picture('block.png'))
    form.append('files.seo.image', picture('seo.png'))
    const populate = 'populate=cover,gallery,blocks.image,seo.image'
    const made = await ok('POST', `/api/articles?${populate}`, { form })
    const { id, attributes } = made.data
    assert.equal(attributes.title, 'All at once')
    assert.equal(attributes.cover.data.attributes.name, 'cover.png')
    assert.equal(attributes.gallery.data.length, 2)
    assert.equal(attributes.blocks[0].image.data.attributes.name, 'block.png')
    assert.equal(attributes.seo.image.data.attributes.name, 'seo.png')

    const change = new FormData()
    change.append('data', JSON.stringify({ summary: 'changed' }))
    change.append('files.gallery', picture('only.png'))
    const changed = await ok('PUT', `/api/articles/${id}?populate=gallery`, { form: change })
    assert.deepEqual(
      changed.data.attributes.gallery.data.map(
        (file: { attributes: { name: string } }) => file.attributes.name,
      ),
      ['only.png'],
    )
    assert.equal(changed.data.attributes.title, 'All at once')

    const before = stored().length
    const files = (await ok('GET', '/api/upload/files?limit=100')).length
    for (const [data, field] of [
      [JSON.stringify({ title: 'x', kind: 'poem' }), 'files.cover'],
      [JSON.stringify({ title: 'x' }), 'files.title'],
      [JSON.stringify({ title: 'x' }), 'files.nothing'],
      [JSON.stringify({ title: 'x' }), 'files.blocks.0.image'],
      ['{', 'files.cover'],
      ['[]', 'files.cover'],
    ] as const) {
      const refused = new FormData()
      refused.append(field, picture())
      refused.append('data', data)
      const { status } = await call('POST', '/api/articles', { form: refused })
      assert.equal(status, 400, `${field} ${data}`)
    }
    const twice = new FormData()
    for (const title of ['one', 'two']) twice.append('data', JSON.stringify({ title }))
    assert.equal((await call('POST', '/api/articles', { form: twice })).status, 400)
    const big = new FormData()
    big.append('files.cover', picture())
    big.append('data', JSON.stringify({ title: 'x', summary: 'x'.repeat(1_100_000) }))
    assert.equal((await call('POST', '/api/articles', { form: big })).status, 413)
    const lone = new FormData()
    lone.append('files.cover', picture())
    const without = await call('POST', '/api/articles', { form: lone })
    assert.equal(without.status, 400)
    assert.match(without.body.error.message, /data/)
    assert.equal(stored().length, before, 'no bytes are left')
    assert.equal((await ok('GET', '/api/upload/files?limit=100')).length, files, 'and no records')
  })

  test('cms-rest 15: related says where a file is used, to readers of what is live only', async () => {
    const fileInfo = { folder: '/used' }
    const [file] = await ok('POST', '/api/upload', { form: formOf([picture()], { fileInfo }) })
    const id = await create('articles', { title: 'Shows it', cover: file.id, gallery: [file.id] })
    const inside = await create('articles', { title: 'Deep', blocks: [{ image: file.id }] })
    const draft = await create('articles', { title: 'Not yet', cover: file.id, publishedAt: null })
    const one = await ok('GET', `/api/upload/files/${file.id}?populate=related`)
    const brief = (shown: { related: { __type: string; id: number; title: string }[] }) =>
      shown.related.map((entry) => [entry.__type, entry.id, entry.title])
    assert.deepEqual(brief(one), [
      ['api::article.article', id, 'Shows it'],
      ['api::article.article', inside, 'Deep'],
      ['api::article.article', draft, 'Not yet'],
    ])
    const query = `filters[id]=${file.id}&populate[0]=related`
    const [listed] = await ok('GET', `/api/upload/files?${query}`, { key: keys.read })
    assert.deepEqual(
      brief(listed).map(([, entry]) => entry),
      [id, inside],
    )
    const plain = await ok('GET', `/api/upload/files/${file.id}`)
    assert.equal('related' in plain, false)
    for (const query of ['populate=author', 'populate[related][fields]=title', 'fields=nothing']) {
      const wrong = await call('GET', `/api/upload/files/${file.id}?${query}`)
      assert.equal(wrong.status, 400, query)
      assert.equal((await call('GET', `/api/upload/files?${query}`)).status, 400, query)
    }
    const chosen = await ok('GET', `/api/upload/files/${file.id}?fields=name,url`)
    assert.deepEqual(chosen, { id: file.id, name: file.name, url: file.url })

    const { data } = await ok('GET', `/api/v1/media/${file.id}/related`)
    assert.deepEqual(
      data.map((use: Record<string, unknown>) => [
        use['id'],
        use['field'],
        use['component'] !== null,
        use['is_live'],
        use['is_draft'],
      ]),
      [
        [id, 'cover', false, true, false],
        [id, 'gallery', false, true, false],
        [inside, 'image', true, true, false],
        [draft, 'cover', false, false, true],
      ],
    )
    const read = await ok('GET', `/api/v1/media/${file.id}/related`, { key: keys.read })
    assert.equal(read.data.length, 3, 'drafts are for those who write')
    assert.equal((await ok('GET', `/api/v1/media/${file.id}`)).data.folder, '/used')
    const bad = formOf([picture()], { fileInfo: { folder: 7 } })
    assert.equal((await call('POST', '/api/upload', { form: bad })).status, 400)
  })
})
