import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HTML, readablePart, XML } from './readable.ts'

const MANY = 20_000

describe('how much of a document can be read', () => {
  for (const [name, element] of Object.entries({
    'elements beside each other': '<div><b>x</b></div>',
    'items without end tags': '<li>x',
    'rows and cells without end tags': '<tr><td>x<td>y',
    'elements without end': '<br><img src=x>',
    'parts of a drawing': '<svg><path d="M0"/><path d="M1"/></svg>',
    'elements that end with the one around them': '<section><div><i>x</section>',
  })) {
    test(`${name}: all of it`, () => {
      const text = element.repeat(MANY)
      assert.equal(readablePart(text, HTML), text)
    })
  }

  for (const [name, element] of Object.entries({
    'elements inside each other': '<div>',
    'ends of others between them': '<div></b></p>',
    'a slash that means nothing': '<div/>',
    'paragraphs in items': '<li><p>',
  })) {
    test(`${name}: up to a depth`, () => {
      const part = readablePart(element.repeat(MANY), HTML)
      assert.ok(part.length > 0 && part.length < element.length * MANY)
    })
  }

  test('so many tags, more of a sitemap', () => {
    const text = '<x/>'.repeat(700_000)
    assert.equal(readablePart('<'.repeat(700_000), HTML).length, 300_000)
    assert.equal(readablePart(text, XML), text)
  })
})
