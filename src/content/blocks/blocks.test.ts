import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../json.ts'
import { checkBlocks } from './check.ts'
import { renderBlocks } from './html.ts'
import { blocksOfText, textOfBlocks } from './text.ts'

const text = (words: string, marks: Record<string, boolean> = {}): JsonValue => ({
  ...{ type: 'text', text: words },
  ...marks,
})
const node = (type: string, children: JsonValue[], more: Record<string, JsonValue> = {}) => ({
  ...{ type, children },
  ...more,
})

test('every node has its element, and marks lie in each other', () => {
  const all = [
    node('heading', [text('One')], { level: 2 }),
    node('paragraph', [
      text('a'),
      text('b', { bold: true, italic: true }),
      text('c', { underline: true, strikethrough: true, code: true }),
      node('link', [text('d')], { url: 'https://example.org/?a=1&b=2' }),
      text(' x\ny'),
    ]),
    node(
      'list',
      [
        node('list-item', [text('1')]),
        node('list', [node('list-item', [text('1.1')])], { format: 'unordered' }),
      ],
      { format: 'ordered' },
    ),
    node('quote', [text('q')]),
    node('code', [text('if (a < b)')], { language: 'js' }),
    node('image', [text('')], {
      image: {
        url: '/uploads/a.png',
        alternativeText: 'A "crane"',
        width: 3,
        caption: 'At <dawn>',
      },
    }),
  ]
  assert.equal(checkBlocks(all), undefined)
  assert.equal(
    renderBlocks(all),
    [
      '<h2>One</h2>',
      '<p>a<strong><em>b</em></strong><u><s><code>c</code></s></u><a href="https://example.org/?a=1&amp;b=2">d</a> x<br>y</p>',
      '<ol><li>1</li><li><ul><li>1.1</li></ul></li></ol>',
      '<blockquote>q</blockquote>',
      '<pre><code class="language-js">if (a &lt; b)</code></pre>',
      '<figure><img src="/uploads/a.png" alt="A &quot;crane&quot;" width="3"><figcaption>At &lt;dawn&gt;</figcaption></figure>',
    ].join('\n'),
  )
  assert.equal(textOfBlocks(all), 'One\nabcd x\ny\n1\n1.1\nq\nif (a < b)')
})

test('what no node is, or not there, is refused with its place', () => {
  const refused: [JsonValue, string][] = [
    ['text', ''],
    [{ type: 'paragraph', children: [] }, ''],
    [['text'], '0'],
    [[{ type: 'video', children: [] }], '0.type'],
    [[{ children: [] }], '0.type'],
    [[text('outside')], '0.type'],
    [[node('paragraph', [node('paragraph', [])])], '0.children.0.type'],
    [[{ type: 'paragraph' }], '0.children'],
    [[node('paragraph', [{ type: 'text' }])], '0.children.0.text'],
    [
      [node('paragraph', [text('a', {}), { type: 'text', text: 'b', bold: 1 }])],
      '0.children.1.bold',
    ],
    [[node('heading', [], { level: 7 })], '0.level'],
    [[node('list', [], { format: 'other' })], '0.format'],
    [[node('list', [text('a')], { format: 'ordered' })], '0.children.0.type'],
    [[node('paragraph', [node('link', [], { url: ' javascript:alert(1)' })])], '0.children.0.url'],
    [[node('image', [text('')], { image: { alternativeText: 'a' } })], '0.image'],
    [[node('code', [text('a')], { language: 1 })], '0.language'],
  ]
  for (const [value, place] of refused) {
    assert.equal(checkBlocks(value)?.at.join('.'), place, JSON.stringify(value))
  }
  const nested = (depth: number): JsonValue =>
    node('list', depth === 0 ? [] : [nested(depth - 1)], { format: 'ordered' })
  assert.equal(checkBlocks([nested(15)]), undefined)
  assert.match(checkBlocks([nested(30)])?.message ?? '', /deeper/)
})

test('nothing of a value gets into a page as markup of its own', () => {
  const hostile = '"><script>alert(1)</script>'
  const html = renderBlocks([
    node('paragraph', [text(hostile), node('link', [text(hostile)], { url: hostile })]),
    node('image', [], { image: { url: `data:text/html,${hostile}`, caption: hostile } }),
    node('code', [text(hostile)], { language: hostile }),
  ])
  assert.doesNotMatch(html, /<script|data:text/)
})

test('lines of a text are paragraphs', () => {
  const made = blocksOfText('One\r\n\nTwo')
  assert.deepEqual(made, [node('paragraph', [text('One')]), node('paragraph', [text('Two')])])
  assert.equal(textOfBlocks(made), 'One\nTwo')
})
