import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDatabase } from '#db'
import { createEventReader } from '#events'
import { createClock } from '#kernel'
import { type Answer, silentLog, until } from '#test-kit'
import { restSuite } from './support.ts'

interface Change {
  readonly document_id: string
  readonly seq: number
  readonly event: string
  readonly type: string
  readonly id: number
}

export const bulkAndChanges = restSuite('bulk and changes', ({ call, ok, data, keys, server }) => {
  const ARTICLES = '/api/v1/articles'
  const bulk = (operations: unknown[], more: object = {}) =>
    call('POST', `${ARTICLES}/bulk`, { key: keys.write, body: { operations, ...more } })
  const total = async () => (await call('GET', `${ARTICLES}?status=all`)).body.meta.total

  function refused({ status, body }: Answer, expected: number, code: string) {
    assert.equal(status, expected, JSON.stringify(body).slice(0, 500))
    assert.equal(body.error.code, code)
  }

  /** The feed from a position to its end, once everything written so far is in it. */
  async function follow(after: number, key = keys.write, more = ''): Promise<Change[]> {
    const found: Change[] = []
    for (let from = after; ; ) {
      const { body } = await call('GET', `/api/v1/changes?after=${from}&limit=50${more}`, { key })
      found.push(...body.data)
      from = body.meta.next_after
      if (!body.meta.has_more) return found
    }
  }

  async function now(): Promise<number> {
    return (await call('GET', '/api/v1/changes?after=now')).body.meta.next_after
  }

  /** After everything that was written so far: of that, nothing can get its place later. */
  async function beginning(): Promise<number> {
    const before = await now()
    const { id } = await data('POST', '/api/v1/comments', { body: { body: 'here' } })
    await settled(before, (changes) =>
      changes.some((change) => change.type === 'comment' && change.id === id),
    )
    return now()
  }

  /** Events get their place after the commit; this waits until the last one has its. */
  async function settled(after: number, isThere: (changes: Change[]) => boolean, key = keys.write) {
    return until(async () => {
      const changes = await follow(after, key)
      return isThere(changes) && changes
    })
  }

  test('rest-conventions 12: 500 operations with mixed results, each reported', async () => {
    const [one, two] = (
      await bulk([
        { op: 'create', data: { title: 'Keep' } },
        { op: 'create', data: { title: 'Drop' } },
      ])
    ).body.data
    const operations = [
      { op: 'update', id: one.id, data: { title: 'Kept' } },
      { op: 'delete', id: two.id },
      { op: 'delete', id: 999999 },
      { op: 'create', data: { title: 'x', slug: 'kept-slug' } },
      { op: 'create', data: { title: 'y', slug: 'kept-slug' } },
      { op: 'create', data: { titel: 'x' } },
      { op: 'upsert', data: { title: 'No key' } },
      { op: 'update', id: 'x', data: {} },
      ...Array.from({ length: 492 }, (_, at) => ({
        ...{ op: 'upsert', key: 'external_id' },
        data: { external_id: `site-${at}`, title: `Item ${at}` },
      })),
    ]
    const before = await total()
    const answer = await bulk(operations)
    assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 500))
    const outcomes = answer.body.data
    assert.equal(outcomes.length, 500)
    assert.deepEqual(
      outcomes.map(({ index }: { index: number }) => index),
      operations.map((_, index) => index),
    )
    const statuses = outcomes.slice(0, 9).map(({ status }: { status: number }) => status)
    assert.deepEqual(statuses, [200, 204, 404, 201, 409, 400, 400, 404, 201])
    assert.equal(outcomes[5].error.details[0].field, 'titel')
    assert.equal(outcomes[4].error.code, 'conflict')
    assert.equal(typeof outcomes[8].id, 'number')
    assert.deepEqual(answer.body.meta, { created: 493, updated: 1, deleted: 1, failed: 5 })
    assert.equal(await total(), before + 492)
    assert.equal((await data('GET', `${ARTICLES}/${one.id}`)).title, 'Kept')
  })

  test('rest-conventions 12: repeating an upsert makes no record and no event', async () => {
    const operations = Array.from({ length: 50 }, (_, at) => ({
      ...{ op: 'upsert', key: 'external_id' },
      data: { external_id: `again-${at}`, title: `Again ${at}` },
    }))
    const start = await beginning()
    const first = await bulk(operations)
    assert.deepEqual(first.body.meta, { created: 50, updated: 0, deleted: 0, failed: 0 })
    const events = await settled(start, (changes) => changes.length === 100)
    const again = await bulk(operations)
    assert.deepEqual(again.body.meta, {
      ...{ created: 0, updated: 0, deleted: 0, failed: 0, unchanged: 50 },
    })
    assert.deepEqual(again.body.data[7], {
      ...{ index: 7, status: 200, id: first.body.data[7].id, unchanged: true },
    })
    const changed = operations.map((each) => ({ ...each, data: { ...each.data, summary: 's' } }))
    const { body } = await bulk(changed.slice(0, 1))
    assert.deepEqual(body.meta, { created: 0, updated: 1, deleted: 0, failed: 0 })
    const later = await settled(events.at(-1)?.seq ?? 0, (changes) => changes.length > 0)
    assert.deepEqual(
      later.map(({ event, id }) => [event, id]),
      [['article.updated', first.body.data[0].id]],
    )
  })

  test('rest-conventions 12: atomic with one fault stores nothing', async () => {
    const before = await total()
    const start = await beginning()
    const operations = [
      { op: 'create', data: { title: 'A' } },
      { op: 'create', data: { title: 'B', author_id: 999999 } },
      { op: 'create', data: { title: 'C' } },
    ]
    const answer = await bulk(operations, { atomic: true })
    refused(answer, 422, 'bulk_failed')
    assert.equal(answer.body.data.length, 3)
    assert.equal(answer.body.data[1].error.code, 'invalid_reference')
    assert.deepEqual(
      answer.body.data.map(({ status }: { status: number }) => status),
      [424, 422, 424],
    )
    assert.equal(await total(), before)
    const whole = await bulk([operations[0], operations[2]], { atomic: true })
    assert.equal(whole.status, 200)
    assert.equal(whole.body.meta.created, 2)
    const changes = await settled(start, (found) => found.length >= 4)
    assert.equal(changes.length, 4)
  })

  test('rest-conventions 12: bulks that write the same records at once all succeed', async () => {
    const upserts = Array.from({ length: 25 }, (_, at) => ({
      ...{ op: 'upsert', data: { external_id: `race-${at}`, title: `Race ${at}` } },
    }))
    const turned = upserts
      .map(({ op, data }) => ({ op, data: { ...data, summary: 's' } }))
      .reverse()
    const answers = await Promise.all([bulk(upserts), bulk(turned), bulk(upserts), bulk(turned)])
    for (const { status, body } of answers) {
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.meta.failed, 0, JSON.stringify(body))
    }
    assert.equal((await call('GET', `${ARTICLES}?q=race-`)).status, 200)
    const found = await call('GET', `${ARTICLES}?filters[external_id][$startsWith]=race-`)
    assert.equal(found.body.meta.total, 25)
  })

  test('scale writes: a quiet writer beside a hundred bulks waits for a few plans, not for all of them', async () => {
    const waits: number[] = []
    let isOver = false
    const operations = (of: number) =>
      Array.from({ length: 100 }, (_, at) => ({ op: 'create', data: { title: `B ${of} ${at}` } }))
    const startedMs = performance.now()
    const bulks = Promise.all(Array.from({ length: 100 }, (_, of) => bulk(operations(of))))
    const over = bulks.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const sinceMs = performance.now()
      await ok('POST', ARTICLES, { key: keys.write, body: { title: `Quiet ${waits.length}` } })
      waits.push(performance.now() - sinceMs)
    }
    const tookMs = performance.now() - startedMs
    for (const { body } of await over) assert.equal(body.meta.created, 100)
    const longest = Math.max(...waits)
    assert.ok(longest < tookMs / 5, `${longest} of ${tookMs} ms, ${waits.length} writes`)
  })

  test('rest-conventions 12: a value that one operation gives up is free for those behind it', async () => {
    const made = await bulk([
      { op: 'create', data: { title: 'One', slug: 'given-up', external_id: 'given-up-1' } },
      { op: 'create', data: { title: 'Two', slug: 'waits', external_id: 'given-up-2' } },
      { op: 'create', data: { title: 'Three' } },
    ])
    const [one, two, three] = made.body.data
    const statuses = async (operations: unknown[]) =>
      (await bulk(operations)).body.data.map(({ status }: { status: number }) => status)
    const updates = [
      { op: 'update', id: one.id, data: { slug: 'moved-on' } },
      { op: 'update', id: two.id, data: { slug: 'given-up' } },
      { op: 'update', id: three.id, data: { slug: 'given-up' } },
    ]
    assert.deepEqual(await statuses(updates), [200, 200, 409])
    const upserts = [
      { op: 'upsert', data: { external_id: 'given-up-2', title: 'Two', slug: 'waits' } },
      { op: 'upsert', data: { external_id: 'given-up-1', title: 'One', slug: 'given-up' } },
    ]
    assert.deepEqual(await statuses(upserts), [200, 200])
    assert.equal((await data('GET', `${ARTICLES}/${one.id}`)).slug, 'given-up')
  })

  test('rest-conventions 12: of two that want what one gives up the first gets it, however far they are apart', async () => {
    const upsert = (id: string, slug: string) => ({
      op: 'upsert',
      data: { external_id: `apart-${id}`, title: id, slug: `apart-${slug}` },
    })
    const others = Array.from({ length: 150 }, (_, n) => upsert(`other-${n}`, `other-${n}`))
    await bulk([upsert('one', 'wanted'), upsert('two', 'two'), upsert('three', 'three'), ...others])
    const { body } = await bulk([
      upsert('one', 'one'),
      upsert('two', 'wanted'),
      ...others,
      upsert('three', 'wanted'),
    ])
    const statuses = body.data.map(({ status }: { status: number }) => status)
    assert.deepEqual([...statuses.slice(0, 2), statuses.at(-1)], [200, 200, 409])
  })

  test('rest-conventions 12: an upsert that says published publishes the draft it finds, others leave it one', async () => {
    const upsert = (id: string, body: object) => ({
      ...{ op: 'upsert', key: 'external_id' },
      data: { external_id: id, title: id, ...body },
    })
    const drafts = ['said', 'unsaid'].map((id) => upsert(id, { status: 'draft' }))
    const ids = (await bulk(drafts)).body.data.map(({ id }: { id: number }) => id)
    for (const atomic of [false, true]) {
      const found = [upsert('said', { status: 'published' }), upsert('unsaid', {})]
      const { body } = await bulk(found, { atomic })
      assert.deepEqual([body.meta.updated, body.meta.unchanged], [1, 1])
      const states = await Promise.all(
        ids.map(async (id: number) => (await data('GET', `${ARTICLES}/${id}?status=all`)).status),
      )
      assert.deepEqual(states, ['published', 'draft'])
      await data('POST', `${ARTICLES}/${ids[0]}/unpublish`)
    }
  })

  test('rest-conventions 12: upserts whose keys are taken by what they do not find are refused', async () => {
    const attributes = {
      name: { type: 'string' },
      sku: { type: 'string', unique: true, localized: false },
    }
    const crate = { singularName: 'crate', pluralName: 'crates', attributes }
    const body = { ...crate, localized: true, draftAndPublish: true }
    await ok('POST', '/api/v1/content-types', { key: keys.admin, body })
    const path = '/api/v1/crates'
    const send = (skus: readonly string[]) => {
      const operations = skus.map((sku) => ({ op: 'upsert', key: 'sku', data: { sku, name: 'n' } }))
      return call('POST', `${path}/bulk`, { body: { operations } })
    }
    const statuses = async (skus: readonly string[]) =>
      (await send(skus)).body.data.map(({ status }: { status: number }) => status)
    // Only in another language.
    for (const sku of ['f1', 'f2']) await data('POST', path, { body: { sku, locale: 'fr' } })
    assert.deepEqual(await statuses(['f1', 'new', 'f2']), [409, 201, 409])
    // Only in what is live.
    for (const sku of ['a', 'b']) {
      const { id } = await data('POST', path, { body: { sku } })
      await data('PATCH', `${path}/${id}?status=draft`, { body: { sku: `${sku}2` } })
    }
    assert.deepEqual(await statuses(['a', 'newer', 'b', 'new']), [409, 201, 409, 200])
    // The refusal says which value it is.
    const [alone] = (await send(['a'])).body.data
    assert.match(alone.error.message, /sku/)
    assert.deepEqual(await statuses(['a2', 'b2']), [200, 200])
  })

  test('rest-conventions 12: an operation may name a record that one before it makes', async () => {
    const relation = { type: 'relation', relation: 'manyToOne', target: 'stage' }
    const attributes = { name: { type: 'string' }, previous: relation }
    const type = { singularName: 'stage', pluralName: 'stages', attributes }
    await ok('POST', '/api/v1/content-types', { key: keys.admin, body: type })
    const first = await data('POST', '/api/v1/stages', { body: { name: 'first' } })
    const operations = [1, 2, 99].map((behind) => ({
      ...{ op: 'create', data: { name: `behind ${behind}`, previous: first.id + behind - 1 } },
    }))
    const { body } = await call('POST', '/api/v1/stages/bulk', { body: { operations } })
    const statuses = body.data.map(({ status }: { status: number }) => status)
    assert.deepEqual(statuses, [201, 201, 422])
    assert.equal(body.data[2].error.code, 'invalid_reference')
  })

  test('rest-conventions §3, §8: status and locale of the query mean in a bulk what they mean outside of it', async () => {
    const leaflet = {
      ...{
        singularName: 'leaflet',
        pluralName: 'leaflets',
        localized: true,
        draftAndPublish: true,
      },
      attributes: { title: { type: 'string' }, note: { type: 'string' } },
    }
    await ok('POST', '/api/v1/content-types', { body: leaflet })
    const LEAFLETS = '/api/v1/leaflets'
    const made = await data('POST', LEAFLETS, { body: { title: 'Live' } })
    const { id, document_id: documentId } = made
    const strict = { key: keys.write, headers: { prefer: 'handling=strict' } }
    const send = async (query: string, operations: unknown[]) => {
      const path = `${LEAFLETS}/bulk?${query}`
      const answer = await call('POST', path, { ...strict, body: { operations } })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body.data.map(({ status }: { status: number }) => status)
    }
    const update = { op: 'update', id, data: { title: 'Drafted' } }
    const create = { op: 'create', data: { title: 'Draft' } }
    assert.deepEqual(await send('status=draft', [update, create]), [200, 201])
    assert.equal((await data('GET', `${LEAFLETS}/${id}`)).title, 'Live')
    assert.equal((await data('GET', `${LEAFLETS}/${id}?status=draft`)).title, 'Drafted')
    assert.equal((await call('GET', `${LEAFLETS}?title=Draft`)).body.meta.total, 0)
    await ok('POST', '/api/v1/locales', { body: { code: 'is', name: 'Icelandic' } })
    const icelandic = { title: 'Lifandi', locale: 'is', document_id: documentId }
    await data('POST', LEAFLETS, { body: icelandic })
    const ofDocument = { op: 'update', id: documentId, data: { note: 'Changed' } }
    assert.deepEqual(await send('locale=is', [ofDocument]), [200])
    assert.equal((await data('GET', `${LEAFLETS}/${documentId}?locale=is`)).note, 'Changed')
    assert.equal((await data('GET', `${LEAFLETS}/${documentId}`)).note, null)
    assert.deepEqual(await send('locale=is', [{ op: 'delete', id: documentId }]), [204])
    assert.equal((await data('GET', `${LEAFLETS}/${documentId}`)).id, id)
    const spelled = { op: 'update', id: `0x${Number(id).toString(16)}`, data: {} }
    assert.deepEqual(await send('', [spelled]), [404])
    const none = await call('POST', '/api/v1/comments/bulk?status=draft', {
      ...strict,
      body: { operations: [] },
    })
    refused(none, 400, 'invalid_parameter')
    await ok('DELETE', '/api/v1/locales/is?force=true')
    await ok('DELETE', '/api/v1/content-types/leaflet?force=true')
  })

  test('rest-conventions 12: a malformed envelope is refused as a whole', async () => {
    const before = await total()
    const create = { op: 'create', data: { title: 'x' } }
    for (const operations of [
      undefined,
      {},
      [create, { op: 'replace', data: {} }],
      [create, 7],
      [create, { op: 'update', data: {} }],
      [create, { op: 'create' }],
      Array.from({ length: 501 }, () => create),
    ]) {
      const answer = await call('POST', `${ARTICLES}/bulk`, { body: { operations } })
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
    }
    refused(await bulk([create], { more: 1 }), 400, 'unknown_field')
    const large = { title: 'x', body: 'y'.repeat(6 << 20) }
    refused(await bulk([{ op: 'create', data: large }]), 413, 'payload_too_large')
    const fits = { title: 'Large', body: 'y'.repeat(2 << 20) }
    assert.equal((await bulk([{ op: 'create', data: fits }])).body.meta.created, 1)
    assert.equal(await total(), before + 1)
    assert.equal((await bulk([])).status, 200)
  })

  test('rest-conventions 13: create, update, publish, delete in order', async () => {
    const start = await beginning()
    const { id, document_id } = await data('POST', ARTICLES, {
      body: { title: 'F', status: 'draft' },
    })
    const path = `${ARTICLES}/${id}`
    await data('PATCH', path, { body: { summary: 's' } })
    await data('POST', `${path}/publish`)
    await data('PATCH', path, { body: { summary: 't' } })
    await data('POST', `${path}/unpublish`)
    await data('POST', `${path}/publish`)
    await call('DELETE', path)
    const { id: comment } = await data('POST', '/api/v1/comments', { body: { body: 'x' } })

    const all = await settled(start, (changes) => changes.some(({ type }) => type === 'comment'))
    const names = (changes: Change[]) => changes.map(({ event }) => event)
    assert.deepEqual(names(all), [
      ...['article.created', 'article.updated', 'article.published', 'article.updated'],
      ...['article.unpublished', 'article.published', 'article.deleted', 'comment.created'],
    ])
    const { seq, ...first } = all[0] ?? assert.fail()
    const { occurred_at, ...rest }: Record<string, unknown> = first
    assert.deepEqual(rest, {
      event: 'article.created',
      type: 'article',
      id,
      document_id,
      locale: null,
    })
    assert.match(String(occurred_at), /Z$/)
    assert.ok(all.every((change, at) => at === 0 || change.seq > (all[at - 1]?.seq ?? 0)))

    const read = await follow(start, keys.read)
    assert.deepEqual(names(read), [
      ...['article.published', 'article.updated', 'article.deleted', 'article.published'],
      ...['article.deleted', 'comment.created'],
    ])
    assert.deepEqual(
      (await follow(start, keys.write, '&types=comment')).map(({ id }) => id),
      [comment],
    )
    const two = await call('GET', `/api/v2/changes?after=${start}&limit=1`)
    assert.deepEqual(
      [two.body.data[0].id, two.body.data[0].entry_id, two.body.meta.has_more],
      [document_id, id, true],
    )
  })

  test('rest-conventions 13: following the feed from zero gives exactly the live ids', async () => {
    const live = new Set<number>()
    const last = await data('POST', ARTICLES, { body: { title: 'Last' } })
    const changes = await settled(
      0,
      (found) => found.some(({ id, type }) => type === 'article' && id === last.id),
      keys.read,
    )
    for (const { type, id, event } of changes.filter(({ type }) => type === 'article')) {
      if (event === `${type}.deleted`) live.delete(id)
      else live.add(id)
    }
    const ids = new Set<number>()
    for (let after = 0; ; ) {
      const { body } = await call('GET', `${ARTICLES}?after_id=${after}&limit=100&fields=id`)
      for (const { id } of body.data) ids.add(id)
      if (body.meta.next_after_id === null) break
      after = body.meta.next_after_id
    }
    assert.deepEqual(
      [...live].toSorted((a, b) => a - b),
      [...ids].toSorted((a, b) => a - b),
    )
  })

  test('rest-conventions 13: entries of a type that is removed go from the feed one by one', async () => {
    const parcel = { singularName: 'parcel', pluralName: 'parcels', draftAndPublish: true }
    const attributes = { name: { type: 'string' } }
    const define = () => data('POST', '/api/v1/content-types', { body: { ...parcel, attributes } })
    await define()
    const start = await beginning()
    const live = await data('POST', '/api/v1/parcels', { body: { name: 'live' } })
    const draft = await data('POST', '/api/v1/parcels?status=draft', { body: { name: 'draft' } })
    assert.equal((await call('DELETE', '/api/v1/content-types/parcel?force=true')).status, 204)
    const gone = (found: Change[]) => found.filter(({ event }) => event === 'parcel.deleted')
    const changes = await settled(start, (found) => gone(found).length === 2)
    assert.deepEqual(
      gone(changes).map(({ type, id, document_id }) => [type, id, document_id]),
      [live, draft].map(({ id, document_id }) => ['parcel', id, document_id]),
    )
    assert.deepEqual(await follow(start, keys.write, '&types=parcel'), changes)
    const public_ = await follow(start, keys.read, '&types=parcel')
    assert.deepEqual(
      gone(public_).map(({ id }) => id),
      [live.id],
    )
    await define()
    const again = await data('POST', '/api/v1/parcels', { body: { name: 'again' } })
    assert.equal(again.id, 1)
    const all = await settled(start, (found) => found.length > changes.length)
    assert.equal(all.filter(({ type }) => type === 'parcel').at(-1)?.document_id, again.document_id)
  })

  test('rest-conventions 13: under parallel writers a reader misses nothing', async () => {
    const start = await beginning()
    const written = new Set<number>()
    const seen: number[] = []
    let isWriting = true
    const write = async () => {
      for (let at = 0; at < 15; at++) {
        const { id } = await data('POST', '/api/v1/categories', { body: { name: 'P' } })
        written.add(id)
      }
    }
    const reading = (async () => {
      let after = start
      while (isWriting || seen.length < written.size) {
        const { body } = await call('GET', `/api/v1/changes?after=${after}&types=category&limit=7`)
        seen.push(...body.data.map(({ id }: { id: number }) => id))
        after = body.meta.next_after
      }
    })()
    await Promise.all([write(), write(), write(), write()])
    isWriting = false
    await reading
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      [...written].toSorted((a, b) => a - b),
    )
  })

  test('rest-conventions 13: now shows only what comes later; bad and expired positions', async () => {
    await data('POST', '/api/v1/authors', { body: { name: 'Before' } })
    await settled(0, (found) => found.some(({ type }) => type === 'author'))
    const { body } = await call('GET', '/api/v1/changes?after=now')
    assert.deepEqual(body.data, [])
    assert.deepEqual(Object.keys(body.meta), ['limit', 'next_after', 'has_more'])
    const { id } = await data('POST', '/api/v1/authors', { body: { name: 'After' } })
    const later = await settled(body.meta.next_after, (found) => found.length > 0)
    assert.deepEqual(
      later.map((change) => change.id),
      [id],
    )
    for (const query of [
      ...['after=x', 'limit=0', 'types=nothing', 'types=', 'types=,', 'after=1&after=2'],
    ]) {
      const answer = await call('GET', `/api/v1/changes?${query}`)
      refused(answer, 400, 'invalid_parameter')
      assert.match(answer.body.error.message, new RegExp(`^${query.split('=', 1)}\\b`))
    }
    assert.equal((await call('GET', '/api/v1/changes?limit=5000')).body.meta.limit, 1000)
    assert.equal((await call('GET', '/api/v1/changes', { key: null })).status, 401)
  })

  test('rest-conventions 13: a position whose changes are no longer kept is gone', async () => {
    const last = await now()
    await forgetEvents()
    refused(await call('GET', `/api/v1/changes?after=${last - 1}`), 410, 'changes_expired')
    refused(await call('GET', '/api/v1/changes?after=0'), 410, 'changes_expired')
    const { id } = await data('POST', '/api/v1/authors', { body: { name: 'Kept' } })
    const kept = await settled(last, (found) => found.length > 0)
    assert.deepEqual(
      kept.map((change) => change.id),
      [id],
    )
    const oldest = await call('GET', '/api/v1/changes')
    assert.deepEqual(oldest.body.data, kept)
  })

  /** What the worker does with events of more than 30 days. */
  async function forgetEvents() {
    const { dataDir, env } = server()
    const clock = createClock()
    const url = env['ENTREPOT_DATABASE_URL']
    const sizes = { readers: 1, readTimeoutMs: 5_000, scanTimeoutMs: 30_000 }
    const { database, stop } = await startDatabase(
      { url, dataDir, ...sizes },
      { clock, log: silentLog, beside: true, onThreadFailure: assert.fail },
    )
    await createEventReader({ db: database, clock }).purge(-1_000)
    await stop()
  }
})
