import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, test } from 'node:test'
import pg from 'pg'
import { ADMIN_KEY, createCalls, installation, startServer, type TestServer } from '#test-kit'

const TYPE = {
  singularName: 'scroll',
  pluralName: 'scrolls',
  attributes: { title: { type: 'string' } },
}

test('operation: connections that the network has forgotten are given up, and reads go on over others', async () => {
  const given = await installation('postgres', {
    ENTREPOT_ADMIN_KEY: ADMIN_KEY,
    ENTREPOT_STORAGE_READ_TIMEOUT_MS: '500',
  })
  const network = await startNetwork(new URL(given['ENTREPOT_DATABASE_URL'] ?? ''))
  const server = await startServer({ ...given, ENTREPOT_DATABASE_URL: network.url })
  const { call, data } = createCalls(() => server.url)
  await data('POST', '/api/v1/content-types', { body: TYPE })
  await data('POST', '/api/v1/scrolls', { body: { title: 'kept' } })
  assert.equal((await call('GET', '/api/v1/scrolls?sort=title')).status, 200)
  network.forget()
  const first = await call('GET', '/api/v1/scrolls?sort=title&order=desc')
  assert.deepEqual([first.status, first.body.error?.code], [503, 'storage_unavailable'])
  // The pool may have others that are forgotten, and each takes somebody with it.
  for (let tries = 0; ; tries++) {
    const { status, body } = await call('GET', `/api/v1/scrolls?sort=id&per_page=${tries + 1}`)
    if (status === 503 && tries < 5) continue
    assert.deepEqual([status, body.data?.[0]?.title], [200, 'kept'])
    break
  }
})

test('content-model 5: a file whose commit nobody heard of keeps its bytes', async () => {
  const given = await installation('postgres', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  const network = await startNetwork(new URL(given['ENTREPOT_DATABASE_URL'] ?? ''))
  const server = await startServer({ ...given, ENTREPOT_DATABASE_URL: network.url })
  const { call } = createCalls(() => server.url)
  const body = new FormData()
  body.set('file', new Blob(['kept']), 'kept.txt')
  const headers = { 'x-api-key': ADMIN_KEY }
  network.cutCommitOf('insert into "content_files"')
  const { status } = await fetch(`${server.url}/api/v1/media`, { method: 'POST', body, headers })
  assert.equal(status, 503)
  const { data } = (await call('GET', '/api/v1/media')).body
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    ['kept.txt'],
  )
  assert.equal(await (await fetch(server.url + data[0].url)).text(), 'kept')
})

test('operation: a database that takes no writes is 503, and left for the one that takes its place', async () => {
  const given = await installation('postgres', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  const server = await startServer(given)
  const { call, data } = createCalls(() => server.url)
  await data('POST', '/api/v1/content-types', { body: TYPE })
  const url = given['ENTREPOT_DATABASE_URL'] ?? ''
  const database = new URL(url).pathname.slice(1)
  const operator = new pg.Client({ connectionString: url })
  await operator.connect()
  after(() => operator.end())
  const write = async () => {
    const { status } = await call('POST', '/api/v1/scrolls', { body: { title: 'x' } })
    return status
  }
  assert.equal(await write(), 201)
  await operator.query(`alter database ${database} set default_transaction_read_only = on`)
  // Sessions have what the database had when they began.
  await operator.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = '${database}' and pid <> pg_backend_pid()`)
  for (let n = 0; n < 10; n++) assert.equal(await write(), 503)
  assert.equal((await call('GET', '/api/v1/scrolls')).body.meta?.total, 1)
  await operator.query(`alter database ${database} reset default_transaction_read_only`)
  const statuses: number[] = []
  while (statuses.at(-1) !== 201 && statuses.length < 20) statuses.push(await write())
  assert.equal(statuses.at(-1), 201, statuses.join())
})

test('operation: nobody is refused on a database that allows few connections', async () => {
  const { server } = await startWithLimit(22)
  await askMuch(server)
  assert.doesNotMatch(server.log(), /too many connections/)
})

test('operation: nobody is refused where other processes have taken most connections meanwhile', async () => {
  const { server, url } = await startWithLimit(60, { ENTREPOT_STORAGE_CONNECTIONS: '50' })
  const others: pg.Client[] = []
  after(() => Promise.all(others.map((client) => client.end())))
  for (let isFull = false; !isFull; ) {
    const client = new pg.Client({ connectionString: url })
    await client.connect().then(
      () => others.push(client),
      () => {
        isFull = true
      },
    )
  }
  assert.ok(others.length > 20, `${others.length} are taken`)
  // What it is refused beyond these it has to do without.
  await Promise.all(others.splice(0, 5).map((client) => client.end()))
  await askMuch(server)
})

/** A role that is no superuser, whose connections are counted. */
async function startWithLimit(limit: number, extra: Record<string, string> = {}) {
  const given = await installation('postgres', { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...extra })
  const url = new URL(given['ENTREPOT_DATABASE_URL'] ?? '')
  const operator = new pg.Client({ connectionString: url.href })
  await operator.connect()
  const role = `few_${process.pid}_${limit}`
  await operator.query(
    `create role ${role} login connection limit ${limit} in role ${url.username}`,
  )
  after(async () => {
    await operator.query(`reassign owned by ${role} to ${operator.user}`)
    await operator.query(`drop role ${role}`)
    await operator.end()
  })
  url.username = role
  const server = await startServer({ ...given, ENTREPOT_DATABASE_URL: url.href })
  return { server, url: url.href }
}

async function askMuch(server: TestServer) {
  const { call, data } = createCalls(() => server.url)
  await data('POST', '/api/v1/content-types', { body: TYPE })
  const asked = Array.from({ length: 200 }, (_, n) => {
    if (n % 4 === 0) return call('GET', `/api/v1/scrolls?sort=title&page=${n + 1}`)
    if (n % 4 === 1) return call('GET', `/api/v1/search?q=word${n}`)
    if (n % 4 === 2) return call('POST', '/api/v1/users', { body: { email: `${n}@example.org` } })
    return call('POST', '/api/v1/scrolls', { body: { title: `title ${n}` } })
  })
  const refused = (await Promise.all(asked)).filter(({ status }) => status >= 300)
  assert.equal(refused.length, 0, `${JSON.stringify(refused)}\n${server.log()}`)
}

/** Stands before a database. */
async function startNetwork(to: URL) {
  const open = new Set<net.Socket>()
  let cut: string | undefined
  const server = net.createServer((near) => {
    const far = net.connect(Number(to.port), to.hostname)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    let isToBeCut = false
    near.on('data', (asked) => {
      if (cut !== undefined && asked.includes(cut)) isToBeCut = true
      if (!isToBeCut || !asked.includes('commit\0')) return
      far
        .unpipe()
        .once('data', () => near.destroy())
        .resume()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const url = new URL(to)
  url.port = String((server.address() as net.AddressInfo).port)
  return { url: url.href, forget, cutCommitOf }

  /** Of the connections there are nothing comes through any more, and none is closed. */
  function forget() {
    for (const socket of open) socket.unpipe().pause()
  }

  /** The transaction with this statement is committed, and its connection breaks before that is answered. */
  function cutCommitOf(statement: string) {
    cut = statement
  }
}
