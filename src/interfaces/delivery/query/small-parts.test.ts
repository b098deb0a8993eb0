import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBoundary } from '#content-dialect'
import { DomainError } from '#kernel'
import { dayOf, parseMoment } from './filter-values.ts'
import {
  firstOf,
  parseCulture,
  parseFetch,
  parsePage,
  readParameters,
  valuesOf,
} from './parameters.ts'
import { parseSortTexts } from './sort.ts'

const given = (param: string, value: string) => [{ param, value }]
const positionIs = (position: number) => (error: unknown) =>
  error instanceof DomainError && error.facts['position'] === position

test('names of parameters have no case and no index, values are decoded once', () => {
  const parameters = readParameters('FILTER=a%2Cb&filter[]=c+d&filter[0]=%2525&x&take=')
  assert.deepEqual(
    valuesOf(parameters, 'filter').map(({ value }) => value),
    ['a,b', 'c d', '%25'],
  )
  assert.equal(firstOf(parameters, 'take')?.value, '')
  assert.deepEqual(valuesOf(parameters, 'take'), [])
  assert.equal(readParameters('a=%ff')[0]?.value, '\ufffd')
  assert.equal(readParameters('a=%zz')[0]?.value, '%zz')
  assert.throws(() => readParameters(`a=${'x'.repeat(8_192)}`), { code: 'query_too_long' })
})

test('sorts have a field and a direction', () => {
  const shown = (value: string) =>
    parseSortTexts(given('sort', value)).map(({ field, order }) => `${field} ${order}`)
  assert.deepEqual(shown('createDate:desc'), ['createDate desc'])
  assert.deepEqual(shown('name:ASC,properties.rating:Descending'), [
    'name asc',
    'properties.rating desc',
  ])
  const cases: readonly (readonly [string, number])[] = [
    ['createDate', 0],
    ['createDate:up', 0],
    ['name:asc,', 8],
    [',name:asc', 0],
    ['name:asc, level:asc', 9],
    ['name:asc,level', 9],
    ['name :asc', 4],
    ['name:', 0],
  ]
  for (const [value, position] of cases) {
    assert.throws(() => shown(value), positionIs(position), value)
  }
  assert.throws(() => shown(Array(21).fill('name:asc').join(',')), /At most 20/)
})

test('a selector names one part of the tree', () => {
  const all = ['children', 'descendants', 'ancestors'] as const
  assert.deepEqual(parseFetch(given('fetch', 'children:/'), all), {
    selector: 'children',
    target: '/',
  })
  assert.deepEqual(parseFetch(given('fetch', 'Ancestors:a:b'), all), {
    selector: 'ancestors',
    target: 'a:b',
  })
  assert.equal(parseFetch([], all), undefined)
  for (const value of ['children', 'parents:/', 'children/']) {
    assert.throws(() => parseFetch(given('fetch', value), all), positionIs(0), value)
  }
  assert.throws(() =>
    parseFetch([...given('fetch', 'children:/'), ...given('fetch', 'children:/')], all),
  )
  assert.throws(() => parseFetch(given('fetch', 'ancestors:/'), ['children']))
})

test('a page is whole numbers, cut to the largest', () => {
  const page = (text: string) => parsePage(readParameters(text), 1_000)
  assert.deepEqual(page(''), { skip: 0, take: 10, isReduced: false })
  assert.deepEqual(page('take=0&SKIP=7'), { skip: 7, take: 0, isReduced: false })
  assert.deepEqual(page('take=1001'), { skip: 0, take: 1_000, isReduced: true })
  for (const text of ['take=-1', 'take=1.5', 'take=abc', 'take=', 'skip=-1', 'skip=1e3']) {
    assert.throws(() => page(text), { code: 'validation_error' }, text)
  }
})

test('the culture is that of the parameter, then of a plain header, then the default', () => {
  const locales = ['en-US', 'da', 'pt-BR'].map((code, id) => ({
    ...{ id, code, name: code, isDefault: id === 0, fallback: null },
    ...{ createdAtMs: 0, updatedAtMs: 0 },
  }))
  const findLocale = (code: string) =>
    locales.find((locale) => locale.code.toLowerCase() === code.toLowerCase())
  const model = { locales, findLocale, defaultLocale: 'en-US' }
  const culture = (text: string, header?: string) =>
    parseCulture(model, readParameters(text), header).code
  assert.equal(culture(''), 'en-US')
  assert.equal(culture('culture=DA', 'en-US'), 'da')
  assert.equal(culture('', ' da '), 'da')
  assert.equal(culture('culture=pt'), 'pt-BR')
  assert.equal(culture('culture=en'), 'en-US')
  assert.equal(culture('culture=fr-FR'), undefined)
  assert.equal(culture('', 'fr'), undefined)
  for (const header of ['*', 'da;q=0.9', 'da, en', 'nonsense!']) {
    assert.equal(culture('', header), 'en-US', header)
  }
  for (const text of ['culture=d', 'culture=en_US', 'culture=%20da', 'culture=en-USA']) {
    assert.throws(() => culture(text), { code: 'validation_error' }, text)
  }
})

test('dates are days or moments, in UTC unless they say otherwise', () => {
  const day = parseMoment('2026-03-01')
  assert.deepEqual(day, { startMs: Date.UTC(2026, 2, 1), endMs: Date.UTC(2026, 2, 2) })
  assert.equal(parseMoment('2026-03-01T10:00:00')?.startMs, Date.UTC(2026, 2, 1, 10))
  assert.equal(parseMoment('2026-03-01T10:00:00+02:00')?.startMs, Date.UTC(2026, 2, 1, 8))
  assert.deepEqual(day && dayOf(day), { date: '2026-03-01', isStart: true })
  for (const text of ['soon', '2026-02-30', '2026-3-1', '10:00', '']) {
    assert.equal(parseMoment(text), undefined, text)
  }
})

test('numbers lie at or above the next that a column can hold', () => {
  const bound = (text: string, scale: number) => {
    const found = parseBoundary(text, scale)
    return found && [found.text, found.isExact]
  }
  assert.deepEqual(bound('4', 0), ['4', true])
  assert.deepEqual(bound('4.0', 0), ['4', true])
  assert.deepEqual(bound('4.5', 0), ['4', false])
  assert.deepEqual(bound('-4.5', 0), ['-5', false])
  assert.deepEqual(bound('1.239', 2), ['1.23', false])
  assert.deepEqual(bound('-0.001', 2), ['-0.01', false])
  assert.deepEqual(bound('.5', 2), ['0.50', true])
  assert.deepEqual(bound('1e3', 0), ['1000', true])
  assert.deepEqual(bound('1.25E+1', 0), ['12', false])
  assert.deepEqual(bound('-1e+21', 0), [`-1${'0'.repeat(21)}`, true])
  assert.deepEqual(bound('125e-2', 2), ['1.25', true])
  assert.deepEqual(bound('1e-7', 2), ['0.00', false])
  assert.deepEqual(bound('-.5e-999', 0), ['-1', false])
  for (const text of [
    '',
    '.',
    '-',
    'high',
    'e3',
    '1e',
    '1e+',
    '1e1.5',
    '1e9999',
    '1 000',
    '9'.repeat(61),
  ]) {
    assert.equal(bound(text, 2), undefined, text)
  }
})
