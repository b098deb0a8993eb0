import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findTooManyAttributes } from './attributes.ts'

const MANY = '<p a b=1 c="2" d=\'3\'e/f>'

describe('attributes of a document', () => {
  for (const [name, before, after] of [
    ['in the first tag', '', ''],
    ['after a sign that begins no tag', '<3', ''],
    ['after the end of a tag in a value', '<p x=">">', ''],
    ['after what looks like a value in a script', '<script>a<b c="</script>', '"'],
    ['after what looks like a value in a title', '<title lang=en><b c="</title>', '"'],
    ['after what looks like a value in a comment', '<!-- <b c=" -->', '"'],
    ['after a comment without text', '<!-->', '-->'],
    ['after what looks like a value in an end tag', '</b c=">', '"'],
    ['after what looks like a value in a declaration', '<!x <b c=">', '"'],
    ['after an element that is empty by its slash', '<script / >', '</script>'],
  ] as const) {
    test(`found ${name}`, () => {
      const text = `${before}${MANY}${after}`
      assert.equal(findTooManyAttributes(text, 5, false), before.length)
      assert.equal(findTooManyAttributes(text, 8, false), -1)
    })
  }

  for (const [name, text] of Object.entries({
    'a script': `<script>"${MANY}"</script>`,
    'a comment': `<!-- ${MANY} -->`,
    'a value': `<p x="${MANY.replaceAll('"', '')}">`,
    'character data': `<![CDATA[${MANY}]]>`,
  })) {
    test(`not found in ${name}`, () => {
      assert.equal(findTooManyAttributes(text, 5, false), -1)
    })
  }

  for (const [name, piece] of Object.entries({
    signs: '<',
    'comments without end': '<!--a>',
    'scripts without end': '<script>',
    slashes: '<p ////',
    'quotation marks': '<p a="',
  })) {
    test(`${name} are gone through once`, () => {
      const startedMs = performance.now()
      findTooManyAttributes(piece.repeat(300_000), 200_000, false)
      assert.ok(performance.now() - startedMs < 5_000)
    })
  }
})
