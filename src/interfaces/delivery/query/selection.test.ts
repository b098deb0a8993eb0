import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '#kernel'
import { parseSelection, type Selection, select } from './selection.ts'

function parse(...values: string[]): Selection | undefined {
  const parameters = values.map((value) => ({ param: 'expand', value }))
  return parseSelection(parameters, 'Expand not valid')
}

/** As text again, in one form. */
function shown(selection: Selection | undefined): string {
  if (!selection) return 'undefined'
  const named = [...selection.named].map(
    ([name, below]) => `${name}${below.isLeaf ? '' : `(${shown(below)})`}`,
  )
  const { every } = selection
  const all = every ? [`*${every.isLeaf ? '' : `(${shown(every)})`}`] : []
  return [...named, ...all].join(' ')
}

test('every form of the contract selects what it says', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['all', '*'],
    ['$all', '*'],
    ['properties[$all]', '*'],
    ['properties[a,b]', 'a b'],
    ['properties[a, B]', 'a b'],
    ['property:a,b', 'a b'],
    ['properties[a[properties[b,c]],d]', 'a(b c) d'],
    ['properties[$all[properties[$all]]]', '*(*)'],
    ['properties[$all,a[properties[b]]]', 'a(b) *'],
    ['properties:[id]', ''],
    ['properties', ''],
    ['something', ''],
    ['a[b]', ''],
  ]
  for (const [text, expected] of cases) assert.equal(shown(parse(text)), expected, text)
  assert.equal(shown(parse('properties[a]', 'properties[b]')), 'a b')
  assert.equal(parse(), undefined)
})

test('names are found whatever their case, before what is said of all', () => {
  const selection = parse('properties[$all,Author[properties[name]]]')
  assert.ok(selection)
  assert.equal(shown(select(selection, 'author')), 'name')
  assert.equal(select(selection, 'cover')?.isLeaf, true)
})

test('malformed selections are refused where they are wrong', () => {
  const deep = (levels: number) =>
    `${'properties[a['.repeat(levels - 1)}properties[a]${']]'.repeat(levels - 1)}`
  assert.ok(parse(deep(8)))
  const cases: readonly (readonly [string, number])[] = [
    ['properties[', 10],
    ['properties[a', 10],
    ['[a]', 0],
    ['properties[]', 10],
    ['properties[a]b', 13],
    ['properties[a]]', 13],
    ['properties[[a]]', 11],
    [']', 0],
    [deep(9), 13 * 8],
    ['['.repeat(4_000), 0],
    ['a['.repeat(4_000), 32],
  ]
  for (const [value, position] of cases) {
    assert.throws(
      () => parse(value),
      (error) => error instanceof DomainError && error.facts['position'] === position,
      `${value.slice(0, 40)} at ${position}`,
    )
  }
})
