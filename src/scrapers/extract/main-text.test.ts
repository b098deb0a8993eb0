import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseHtml } from './dom.ts'
import { readMainText } from './main-text.ts'

const SENTENCE = 'Every page has some sentences, so that its main part is found. '

describe('the main text of a page', () => {
  test('blocks and breaks are lines, comments and frames are left out', () => {
    const html = `<nav>Menu</nav><article><h1>Title</h1><p>One <b>two</b><br>three ${SENTENCE.repeat(8)}</p>
      <!-- no --><ul><li>a<li>b</ul></article>`
    const { text } = readMainText(parseHtml(html))
    const lines = text?.split('\n\n').map((line) => line.slice(0, 20).trim())
    assert.deepEqual(lines, ['Title', 'One two', 'three Every page has', 'a', 'b'])
  })

  test('elements inside each other without end are read in a moment', () => {
    const html = `${'<div>'.repeat(5_000)}<p>${SENTENCE.repeat(10)}</p>`
    const startedMs = performance.now()
    const { text } = readMainText(parseHtml(html))
    assert.equal(text, SENTENCE.repeat(10).trim())
    assert.ok(performance.now() - startedMs < 5_000)
  })

  test('of a page with very many elements the whole text is taken', () => {
    const html = `<div class="sidebar">Beside it.</div><article><p>${SENTENCE.repeat(10)}</p></article>${'<i></i>'.repeat(50_000)}`
    const { text } = readMainText(parseHtml(html))
    assert.equal(text?.startsWith('Beside it.'), true)
  })
})
