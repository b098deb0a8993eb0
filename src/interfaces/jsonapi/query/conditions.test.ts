import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '#kernel'
import { parseConditions } from './conditions.ts'
import { ofBase, readParameters } from './parameters.ts'

function parse(query: string) {
  return parseConditions(ofBase(readParameters(query), 'filter'))
}

function parameterOf(query: string): unknown {
  try {
    parse(query)
  } catch (error) {
    assert.ok(error instanceof DomainError)
    return error.issues[0]?.path[0]
  }
  throw new Error(`${query} was accepted`)
}

test('the short form, the form with operator and the long form are the same condition', () => {
  const forms = [
    'filter[a]=x',
    'filter[a][value]=x',
    'filter%5Ba%5D%5Bvalue%5D=x&filter[a][operator]==',
    'filter[L][condition][path]=a&filter[L][condition][value]=x',
    'filter[L][path]=a&filter[L][value]=x',
  ]
  for (const form of forms) {
    const node = parse(form)
    const [condition] = node?.kind === 'and' ? node.of : []
    assert.ok(condition?.kind === 'condition', form)
    const { path, operator, values } = condition
    assert.deepEqual([path, operator, values], ['a', '=', ['x']], form)
  }
})

test('groups nest, and what is in no group is joined by AND', () => {
  const node = parse(
    'filter[x]=1&filter[g][group][conjunction]=or&filter[h][group][conjunction]=AND&filter[h][group][memberOf]=g' +
      '&filter[0][condition][path]=y&filter[0][condition][value]=2&filter[0][condition][memberOf]=h' +
      '&filter[e][group][conjunction]=OR',
  )
  assert.ok(node?.kind === 'and')
  const [first, group, ...more] = node.of
  assert.equal(first?.kind, 'condition')
  assert.ok(group?.kind === 'or')
  assert.equal(group.of[0]?.kind, 'and')
  assert.deepEqual(more, [])
})

test('lists keep every value, however they are numbered', () => {
  const values = Array.from({ length: 30 }, (_, n) => `filter[a][value][${n}]=${n}`).join('&')
  const node = parse(`filter[a][operator]=not in&${values}`)
  const [condition] = node?.kind === 'and' ? node.of : []
  assert.ok(condition?.kind === 'condition')
  assert.equal(condition.operator, 'NOT IN')
  assert.equal(condition.values.length, 30)
})

test('faults are told by the parameter as it was written', () => {
  assert.equal(parameterOf('filter[a]=1&filter[a]=2'), 'filter[a]')
  assert.equal(parameterOf('filter[a][value]=1&filter[a][value]=2'), 'filter[a][value]')
  assert.equal(parameterOf('filter[a'), 'filter[a')
  assert.equal(parameterOf('filter[a][value][x]=1'), 'filter[a][value][x]')
  assert.equal(parameterOf('filter[a][value]=%zz'), 'filter[a][value]')
  assert.equal(
    parameterOf('filter[g][group][memberOf]=g&filter[g][group][conjunction]=OR'),
    'filter[g][group][memberOf]',
  )
})
