import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksIn, parseHtml, toTree } from './rich-text.ts'

const same = (attributes: Readonly<Record<string, string>>) => attributes

test('markup becomes a tree as the contract shows it', () => {
  assert.deepEqual(toTree(parseHtml('<p>Hello <b>you</b></p>'), same), [
    {
      tag: 'p',
      attributes: {},
      elements: [
        { tag: '#text', text: 'Hello ' },
        { tag: 'b', attributes: {}, elements: [{ tag: '#text', text: 'you' }] },
      ],
    },
  ])
})

test('comments and line breaks are dropped, spaces between words are kept, entities decoded', () => {
  const html =
    '<p><b>a</b> <i>b</i></p>\n<!-- x -->\r\n<p data-x="1" data-id="2" id="3">&eacute;&amp;</p>'
  assert.deepEqual(toTree(parseHtml(html), same), [
    {
      tag: 'p',
      attributes: {},
      elements: [
        { tag: 'b', attributes: {}, elements: [{ tag: '#text', text: 'a' }] },
        { tag: '#text', text: ' ' },
        { tag: 'i', attributes: {}, elements: [{ tag: '#text', text: 'b' }] },
      ],
    },
    { tag: 'p', attributes: { x: '1', id: '3' }, elements: [{ tag: '#text', text: 'é&' }] },
  ])
})

test('what is broken is mended, what is too deep has no tree', () => {
  assert.deepEqual(toTree(parseHtml('<p>a <b>b'), same), [
    {
      tag: 'p',
      attributes: {},
      elements: [
        { tag: '#text', text: 'a ' },
        { tag: 'b', attributes: {}, elements: [{ tag: '#text', text: 'b' }] },
      ],
    },
  ])
  assert.equal(toTree(parseHtml('<div>'.repeat(5_000)), same), undefined)
  assert.deepEqual(linksIn(parseHtml('<p><a href="/a">a</a><b><a href="/b">b</a></b></p>')), [
    '/a',
    '/b',
  ])
})
