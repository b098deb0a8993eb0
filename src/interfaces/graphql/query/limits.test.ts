import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refused } from '../errors.ts'
import { checkText } from './limits.ts'

const open = (levels: number) => '[({'.repeat(levels).slice(0, levels)

test('graphql 12: a text is nested 1,200 levels at most, whatever brackets they are', () => {
  checkText(open(1_200))
  checkText('{}'.repeat(2_000))
  for (const text of [open(1_201), `${open(1_000)} "a" # b\n ${open(201)}`]) {
    assert.throws(() => checkText(text), Refused)
  }
})

test('graphql 12: brackets in strings and comments are not counted, those behind them are', () => {
  const many = open(1_300)
  const nothings = [
    ...[`"${many}"`, `"\\"${many}"`, `"\\\\"`, `"""${many}"""`, `"""\n\\"""${many}"""`],
    ...[`# ${many}\n`, `# "\r`, `"${many}\n`],
  ]
  for (const nothing of nothings) {
    checkText(nothing)
    checkText(`${open(1_190)}${nothing}`)
    assert.throws(() => checkText(`${nothing}${many}`), Refused, nothing)
  }
})
