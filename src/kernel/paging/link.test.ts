import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderLinkHeader } from './link.ts'

const url = 'https://api.test/api/v1/articles?status=draft&page=2&per_page=5'

test('relations are absolute URLs with the other parameters kept', () => {
  const header = renderLinkHeader(url, {
    first: { page: 1, per_page: 5 },
    next: { page: 3, per_page: 5 },
  })
  assert.equal(
    header,
    '<https://api.test/api/v1/articles?status=draft&page=1&per_page=5>; rel="first", ' +
      '<https://api.test/api/v1/articles?status=draft&page=3&per_page=5>; rel="next"',
  )
})

test('credentials are dropped in any spelling', () => {
  for (const secret of [
    'api_key=s3cret',
    'api%5Fkey=s3cret',
    'ticket=s3cret',
    'api_key=a&api_key=s3cret',
  ]) {
    const header = renderLinkHeader(`${url}&${secret}`, { next: { page: 3 } })
    assert.match(header ?? '', /articles\?status=draft&page=3>/)
  }
  assert.doesNotMatch(renderLinkHeader('https://u:pw@a.test/', { next: { page: 3 } }) ?? '', /pw/)
})

test('parameters of the old page are gone', () => {
  const cursor = 'https://a.test/x?cursor=old&after_id=1&before_id=2&limit=3&page=4&per_page=5#top'
  assert.equal(
    renderLinkHeader(cursor, { next: { cursor: 'new' } }),
    '<https://a.test/x?cursor=new>; rel="next"',
  )
  assert.equal(
    renderLinkHeader(cursor, { first: { cursor: '' } }),
    '<https://a.test/x?cursor=>; rel="first"',
  )
})

test('repeated and nested parameters keep their values', () => {
  const header = renderLinkHeader('https://a.test/?f[a][$in]=1&f[a][$in]=2&q=a%26b+c', {
    next: { page: 2 },
  })
  const target = new URL(/<(.*)>/.exec(header ?? '')?.[1] ?? '')
  assert.deepEqual(target.searchParams.getAll('f[a][$in]'), ['1', '2'])
  assert.equal(target.searchParams.get('q'), 'a&b c')
})

test('nothing in the URL can end the link or the header', () => {
  const header = renderLinkHeader('https://a.test/<>"\r\n?q=">, <x>; rel="next"&ü=ü', {
    next: { page: 2 },
  })
  assert.match(header ?? '', /^<https:\/\/a\.test\/[\x21-\x7e]+>; rel="next"$/)
  assert.equal(header?.match(/[<>]/g)?.length, 2)
})

test('without relations there is no header', () => {
  assert.equal(renderLinkHeader(url, {}), undefined)
})
