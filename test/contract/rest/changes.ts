import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { relationTo, until } from '#test-kit'
import { restSuite } from './support.ts'

interface Change {
  readonly seq: number
  readonly event: string
  readonly type: string
  readonly id: number
  readonly locale: string | null
}

interface Made {
  readonly id: number
  readonly document_id: string
}

/** Finding: the feed lists everything that changes what a dialect shows, whichever entry was written. */
export const changesOfOthers = restSuite(
  'changes of other entries',
  ({ call, data, keys, server }) => {
    before(async () => {
      const contentTypes = [
        {
          ...{
            singularName: 'place',
            pluralName: 'places',
            localized: true,
            draftAndPublish: true,
          },
          attributes: {
            title: { type: 'string' },
            code: { type: 'string', localized: false },
            slug: { type: 'uid', targetField: 'title' },
          },
        },
        {
          ...{ singularName: 'team', pluralName: 'teams' },
          attributes: {
            name: { type: 'string' },
            picture: { type: 'media' },
            players: relationTo('oneToMany', 'player', { mappedBy: 'team' }),
          },
        },
        {
          ...{ singularName: 'player', pluralName: 'players', draftAndPublish: true },
          attributes: {
            name: { type: 'string' },
            team: relationTo('manyToOne', 'team', { inversedBy: 'players' }),
          },
        },
      ]
      await data('POST', '/api/v1/content-types/batch', { body: { contentTypes } })
    })

    /** All after a position, once everything that was written so far has come through the feed. */
    async function settled(after: number, key = keys.write): Promise<readonly Change[]> {
      const { id } = await data('POST', '/api/v1/comments', { body: { body: 'the end' } })
      const read = async () => {
        const { body } = await call('GET', `/api/v1/changes?after=${after}&limit=1000`, { key })
        const found: Change[] = body.data
        return found.some((change) => change.type === 'comment' && change.id === id) && found
      }
      return until(read, { what: 'the changes' })
    }

    /** What the feed says of a write. */
    async function toldOf(work: () => Promise<unknown>, key = keys.write): Promise<string[]> {
      const now = await call('GET', '/api/v1/changes?after=now')
      const after = (await settled(now.body.meta.next_after)).at(-1)?.seq ?? 0
      await work()
      const found = (await settled(after, key)).filter(({ type }) => type !== 'comment')
      return found.map(({ event, id: of, locale }) => `${event} ${of}${locale ? ` ${locale}` : ''}`)
    }

    const add = (plural: string, body: object): Promise<Made> =>
      data('POST', `/api/v1/${plural}`, { body })
    const patch = (path: string, body: object) => data('PATCH', `/api/v1/${path}`, { body })

    test('rest-conventions 9: a value that all languages share is told of each of them', async () => {
      const en = await add('places', { title: 'Harbour', code: 'H' })
      const { document_id } = en
      const fr = await add('places', { title: 'Port', locale: 'fr', document_id })
      const shared = await toldOf(() => patch(`places/${en.id}`, { code: 'HB' }))
      assert.deepEqual(shared, [`place.updated ${en.id} en`, `place.updated ${fr.id} fr`])
      const own = await toldOf(() => patch(`places/${en.id}`, { title: 'Old harbour' }))
      assert.deepEqual(own, [`place.updated ${en.id} en`])
      // A draft changes no live copy, so that readers hear nothing of either.
      const draft = () => patch(`places/${en.id}?status=draft`, { code: 'X' })
      assert.deepEqual(await toldOf(draft, keys.read), [])
    })

    test('content model §8: what is discarded of a shared value is discarded in all languages', async () => {
      for (const [code, name] of [
        ['de', 'German'],
        ['es', 'Spanish'],
      ]) {
        await data('POST', '/api/v1/locales', { body: { code, name } })
      }
      const en = await add('places', { title: 'Quay', code: 'Q' })
      const { document_id } = en
      const fr = await add('places', { title: 'Quai', locale: 'fr', document_id })
      const de = await add('places', { title: 'Kai', locale: 'de', document_id, status: 'draft' })
      const es = await add('places', { title: 'Muelle', locale: 'es', document_id })
      await patch(`places/${en.id}?status=draft`, { code: 'DRAFT', title: 'New quay' })
      await patch(`places/${fr.id}?status=draft`, { title: 'Nouveau quai' })
      const shown = async ({ id }: Made, query = '?status=all') => {
        const { title, code, status } = await data('GET', `/api/v1/places/${id}${query}`)
        return [title, code, status]
      }
      assert.deepEqual(await shown(es), ['Muelle', 'DRAFT', 'changed'])
      const told = await toldOf(() => data('POST', `/api/v1/places/${en.id}/discard-draft`))
      assert.deepEqual(
        told.toSorted(),
        [en, fr, de, es].map(({ id }, at) => `place.updated ${id} ${'en fr de es'.split(' ')[at]}`),
      )
      assert.deepEqual(await shown(en), ['Quay', 'Q', 'published'])
      assert.deepEqual(await shown(fr), ['Nouveau quai', 'Q', 'changed'])
      assert.deepEqual(await shown(fr, ''), ['Quai', 'Q', 'published'])
      assert.deepEqual(await shown(de), ['Kai', 'Q', 'draft'])
      // Nothing else was drafted here.
      assert.deepEqual(await shown(es), ['Muelle', 'Q', 'published'])
      await data('POST', `/api/v1/places/${fr.id}/publish`)
      assert.deepEqual(await shown(en, ''), ['Quay', 'Q', 'published'])
    })

    test('content model §2: a shared value that goes live in one language is a draft in no other', async () => {
      const shown = async ({ id }: Made, query = '?status=all') => {
        const { title, code, status } = await data('GET', `/api/v1/places/${id}${query}`)
        return [title, code, status]
      }
      const en = await add('places', { title: 'Pier', code: 'P' })
      const { document_id } = en
      const fr = await add('places', { title: 'Jetée', locale: 'fr', document_id })
      await patch(`places/${en.id}?status=draft`, { code: 'DRAFT' })
      assert.deepEqual(await shown(fr), ['Jetée', 'DRAFT', 'changed'])
      await data('POST', `/api/v1/places/${en.id}/publish`)
      assert.deepEqual(await shown(fr), ['Jetée', 'DRAFT', 'published'])
      assert.deepEqual(await shown(fr, ''), ['Jetée', 'DRAFT', 'published'])
      // Something else is drafted here.
      await patch(`places/${fr.id}?status=draft`, { title: 'Nouvelle jetée' })
      await patch(`places/${en.id}?status=draft`, { code: 'AGAIN' })
      await data('POST', `/api/v1/places/${en.id}/publish`)
      assert.deepEqual(await shown(fr), ['Nouvelle jetée', 'AGAIN', 'changed'])
      assert.deepEqual(await shown(fr, ''), ['Jetée', 'AGAIN', 'published'])
      await patch(`places/${fr.id}`, { title: 'Jetée' })
      assert.deepEqual(await shown(fr, ''), ['Jetée', 'AGAIN', 'published'])
    })

    test('rest-conventions 9: a new slug and a new parent are told of everything below', async () => {
      const top = await add('places', { title: 'Top' })
      const child = await add('places', { title: 'Child', tree_parent_id: top.document_id })
      const grand = await add('places', { title: 'Grand', tree_parent_id: child.document_id })
      const told = await toldOf(() => patch(`places/${top.id}`, { slug: 'summit' }), keys.read)
      assert.deepEqual(told, [
        `place.updated ${top.id} en`,
        `place.updated ${child.id} en`,
        `place.updated ${grand.id} en`,
      ])
      const freed = await toldOf(async () => {
        assert.equal((await call('DELETE', `/api/v1/places/${top.id}`)).status, 204)
      })
      assert.deepEqual(freed, [
        `place.deleted ${top.id} en`,
        `place.updated ${child.id} en`,
        `place.updated ${grand.id} en`,
      ])
    })

    test('rest-conventions 9: a relation is told of at the end that holds it, whichever end was written', async () => {
      const team = await add('teams', { name: 'Reds' })
      const player = await add('players', { name: 'Kim' })
      const joined = await toldOf(() => patch(`teams/${team.id}`, { players: [player.id] }))
      assert.deepEqual(joined, [`team.updated ${team.id}`, `player.updated ${player.id}`])
      const gone = await toldOf(async () => {
        assert.equal((await call('DELETE', `/api/v1/teams/${team.id}`)).status, 204)
      }, keys.read)
      assert.deepEqual(gone, [`team.deleted ${team.id}`, `player.updated ${player.id}`])
    })

    test('rest-conventions 9: a renamed file and a deleted one are told of the entries that show it', async () => {
      const form = new FormData()
      form.set('file', new Blob(['text']), 'a.txt')
      const headers = { 'x-api-key': keys.write }
      const sent = await fetch(`${server().url}/api/v1/media`, {
        method: 'POST',
        body: form,
        headers,
      })
      const { data: file } = JSON.parse(await sent.text())
      const team = await add('teams', { name: 'Blues', picture: file.id })
      await add('teams', { name: 'Greens' })
      const renamed = await toldOf(() => patch(`media/${file.id}`, { alternative_text: 'Blue' }))
      assert.deepEqual(renamed, [`team.updated ${team.id}`])
      const removed = await toldOf(async () => {
        const answer = await call('DELETE', `/api/v1/media/${file.id}`)
        assert.ok(answer.status < 300)
      }, keys.read)
      assert.deepEqual(removed, [`team.updated ${team.id}`])
    })
  },
)
