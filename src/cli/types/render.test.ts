import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderTypes } from './render.ts'

const type = (singularName: string, attributes: Record<string, { type: string }>) => ({
  ...{ kind: 'collectionType', singularName, pluralName: `${singularName}s` },
  ...{ displayName: 'A */ name', draftAndPublish: false, localized: false, attributes },
})

test('zones say of each element which component it is; blocks and kinds of a later version are unknown', () => {
  const text = renderTypes('http://here', {
    components: [{ uid: 'a.b', attributes: { text: { type: 'string' } } }],
    types: [
      type('page', {
        parts: { type: 'dynamiczone', ...{ components: ['a.b'] } },
        body: { type: 'richtext', ...{ format: 'blocks' } },
        later: { type: 'hologram' },
      }),
    ],
  })
  assert.match(text, /parts: \(\(\{ __component: "a\.b" \} & ABComponent\)\)\[\]/)
  assert.match(text, /body: unknown\[\] \| null/)
  assert.match(text, /later: unknown\n/)
  assert.ok(text.includes('/** A * / name */'))
})

test('interfaces whose names would meet get numbers', () => {
  const types = [type('content', {}), type('blog-post', {}), type('blog-post-input', {})]
  const text = renderTypes('http://here', { types, components: [] })
  const names = [...text.matchAll(/export interface (\w+)/g)].map(([, name]) => name)
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.includes('Content2') && names.includes('BlogPostInput2'))
  assert.match(text, /"blog-posts": \{/)
})
