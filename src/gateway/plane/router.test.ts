import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRouter, type Routable } from './router.ts'

function route(id: string, uri: string, more: Partial<Routable> = {}): Routable {
  return {
    ...{ id, uris: [uri], hosts: [], priority: 0, createdIndex: 1 },
    ...{ varsCount: 0, hasMethods: false, accepts: () => true },
    ...more,
  }
}

const at = (path: string, host = 'h') => ({ method: 'GET', path, host })

test('ten thousand routes of every kind are each found, and gone when they are removed', () => {
  const router = createRouter<Routable>()
  const routes = Array.from({ length: 10_000 }, (_, n) => {
    const kind = n % 4
    if (kind === 0) return route(`e${n}`, `/exact/${n}`)
    if (kind === 1) return route(`p${n}`, `/prefix-${n}/*`)
    if (kind === 2) return route(`o${n}`, `/one/${n}/:id/end`)
    return route(`h${n}`, '/shared', { hosts: [n % 8 === 3 ? `h${n}.org` : `*.w${n}.org`] })
  })
  for (const each of routes) router.add(each)
  const find = (n: number) => {
    const kind = n % 4
    if (kind === 0) return router.match(at(`/exact/${n}`))
    if (kind === 1) return router.match(at(`/prefix-${n}/deep/er`))
    if (kind === 2) return router.match(at(`/one/${n}/x/end`))
    return router.match(at('/shared', n % 8 === 3 ? `h${n}.org` : `a.b.w${n}.org`))
  }
  for (const [n, each] of routes.entries()) assert.equal(find(n)?.route, each)
  for (const [n, each] of routes.entries()) if (n % 2 === 0) router.remove(each)
  for (const [n, each] of routes.entries()) {
    assert.equal(find(n)?.route, n % 2 === 0 ? undefined : each)
  }
})

test('a route that does not accept the request leaves it to the next best', () => {
  const router = createRouter<Routable>()
  const none = { accepts: () => false }
  router.add(route('exact', '/a/b', none))
  router.add(route('prefix', '/a/*', { priority: 9, ...none }))
  router.add(route('param', '/a/:x'))
  router.add(route('all', '/*'))
  assert.equal(router.match(at('/a/b'))?.route.id, 'param')
  assert.equal(router.match(at('/a/'))?.route.id, 'all')
})
