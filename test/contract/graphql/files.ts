import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

export const files = graphqlSuite('files by GraphQL', ({ create, data, refusal, ok, keys }) => {
  const ids = { file: 0, post: 0 }

  before(async () => {
    const form = new FormData()
    form.append('files', new File(['hello'], 'note.txt', { type: 'text/plain' }))
    const [file] = await ok('POST', '/api/upload', { form })
    ids.file = file.id
    ids.post = await create('posts', { title: 'with a note', cover: file.id })
  })

  test('graphql 5: what a file is called can be changed, by those who may write', async () => {
    const change = (id: unknown) =>
      `mutation { updateUploadFile(id: "${id}", info: { name: "new.txt", alternativeText: "a", caption: "c" }) {
        data { id attributes { name alternativeText caption mime } } } }`
    const { updateUploadFile } = await data(change(ids.file), { key: keys.write })
    assert.deepEqual(updateUploadFile.data, {
      id: String(ids.file),
      attributes: { name: 'new.txt', alternativeText: 'a', caption: 'c', mime: 'text/plain' },
    })
    assert.equal((await refusal(change(ids.file), { key: keys.read })).code, 'FORBIDDEN')
    assert.equal((await refusal(change(ids.file))).code, 'UNAUTHENTICATED')
    const unknown = await refusal(change(99_999), { key: keys.write })
    assert.equal(unknown.code, 'NOT_FOUND')
    assert.deepEqual(unknown.body.data, { updateUploadFile: null })
  })

  test('graphql 5: a file that is deleted is shown once more, and is gone everywhere', async () => {
    const remove = `mutation { deleteUploadFile(id: ${ids.file}) { data { id attributes { name } } } }`
    assert.equal((await refusal(remove, { key: keys.read })).code, 'FORBIDDEN')
    const { deleteUploadFile } = await data(remove, { key: keys.write })
    assert.equal(deleteUploadFile.data.id, String(ids.file))
    assert.equal((await refusal(remove, { key: keys.write })).code, 'NOT_FOUND')
    const query = `{ post(id: ${ids.post}) { data { attributes { cover { data { id } } } } } uploadFile(id: ${ids.file}) { data { id } } }`
    const shown = await data(query, { key: keys.read })
    assert.equal(shown.post.data.attributes.cover.data, null)
    assert.deepEqual(shown.uploadFile, { data: null })
  })
})
