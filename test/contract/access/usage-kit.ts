// Usage on a server of its own, with stand-ins for what other parts of access give it: keys come
// from a table of the test, and whoever names a key is its holder.
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { createUsage, encodeUsage, type KeyInfo, type Usage, type UsageRecord } from '#access-usage'
import { createLocalBus, createRevisions } from '#bus'
import { createOutbox } from '#events'
import { createEventStreams, createHttpServer, type HttpApp } from '#http'
import { renderError } from '#http-text'
import { type Actor, createIds, DomainError, random } from '#kernel'
import { type DatabaseKind, openTestDatabase, silentLog, type TestDatabase } from '#test-kit'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const ADMIN_USER = 1
/** 20 seconds into a minute, so that a test has 40 before the next. */
const NOON = Date.UTC(2026, 2, 15, 12, 30, 20)

export interface UsageServer {
  readonly url: string
  readonly database: TestDatabase
  readonly usage: Usage
  readonly keys: Map<number, KeyInfo>
  readonly minuteCounts: Map<number, number>
  nowMs(): number
  addKey(key?: Partial<Omit<KeyInfo, 'plan'>> & { plan?: Partial<KeyInfo['plan']> }): KeyInfo
  /** Hands records to ingest as the journal's drain does, in one transaction. */
  record(entries: readonly Partial<UsageRecord>[], ids?: readonly string[]): Promise<void>
  elsewhere(): Pick<UsageServer, 'usage' | 'record'>
  /** `as` names the credential: a key id, `user:3` for a sign-in, `admin`. */
  get(path: string, as: string | number, headers?: Record<string, string>): Promise<Response>
  /** The body of an answer that must be 200. */
  json<T>(path: string, as: string | number): Promise<Body<T>>
  close(): Promise<void>
}

interface Body<T> {
  readonly data: T
  readonly meta: Readonly<Record<string, unknown>>
}

/** Doc 2 §2.4 and access contract §7. */
export interface Figures {
  readonly today: number
  readonly month: number
  readonly monthLimit: number | null
  readonly avgResponseMs: number
  readonly remaining: number | null
  readonly minute: number
  readonly minuteLimit: number | null
  readonly rejectedToday: number
  readonly resetsAt: string
}

export interface UsageServerOptions {
  readonly pingMs?: number
  /** By default far from the end of an hour, a day and a month; null: the real time. */
  readonly startsAtMs?: number | null
}

/** All tests of a file share one database per kind; each uses keys of its own. */
export async function startUsage(
  kind: DatabaseKind,
  { pingMs = 15_000, startsAtMs = NOON }: UsageServerOptions = {},
): Promise<UsageServer> {
  const database = await openTestDatabase(kind)
  const { clock } = database
  if (startsAtMs !== null) clock.setOffset(startsAtMs - Date.now())
  const { database: db } = database
  const bus = createLocalBus({ log: silentLog })
  const revisions = createRevisions({ bus, log: silentLog, pollFrom: db.main })
  const eventStreams = createEventStreams({ pingMs })
  const outbox = createOutbox({ ids: createIds({ clock, random }), clock })
  const keys = new Map<number, KeyInfo>()
  const minuteCounts = new Map<number, number>()
  const parts = {
    db,
    clock,
    log: silentLog,
    random,
    eventStreams,
    keys: {
      findKey: async (id: number) => keys.get(id),
      findKeysOfUser: async (userId: number) => {
        const own = [...keys.values()].filter((key) => key.userId === userId)
        return own.length > 0 || userId === ADMIN_USER ? own : undefined
      },
      findKeysOfPlan: async (planId: number) =>
        [...keys.values()].filter(({ plan }) => plan.id === planId),
      findAllKeys: async () => [...keys.values()],
      findNames: async () => new Map(),
      findFormerPlans: async () => [],
      findFormerPrices: async () => [],
    },
    countsOf: async (id: number) => ({
      minute: minuteCounts.get(id) ?? 0,
      day: undefined,
      month: undefined,
    }),
    correctMonth: async () => true,
    appendEvent: outbox.append,
    secretEndOf: async () => null,
  }
  const usage = createUsage({ ...parts, bus, revisions })
  await usage.start()
  const tickets = new Map<string, string>()
  const app = await createHttpServer({
    log: silentLog,
    ids: createIds({ clock, random }),
    mounts: [{ prefix: '/api/v1', renderError, plugin: apiPlugin }],
  })
  app.addHook('preClose', async () => eventStreams.closeAll())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= closeAll()
    return closed
  }
  after(close)
  return {
    url,
    database,
    usage,
    keys,
    minuteCounts,
    nowMs: () => clock.now(),
    addKey,
    record: (entries, ids) => hand(usage, entries, ids),
    elsewhere,
    get,
    json,
    close,
  }

  /** As another thread of the process does it: with a bus and revisions of its own. */
  function elsewhere() {
    const otherBus = createLocalBus({ port: bus.connect(), log: silentLog })
    const otherRevisions = createRevisions({ bus: otherBus, log: silentLog })
    const other = createUsage({ ...parts, bus: otherBus, revisions: otherRevisions })
    after(async () => {
      otherRevisions.close()
      await otherBus.close()
    })
    return {
      usage: other,
      record: (entries: readonly Partial<UsageRecord>[]) => hand(other, entries),
    }
  }

  async function closeAll() {
    await app.close()
    await usage.stop()
    revisions.close()
    await bus.close()
    await database.stop()
  }

  function apiPlugin(api: HttpApp) {
    api.addHook('onRequest', async (request) => {
      const query = new URLSearchParams(request.raw.url?.split('?')[1])
      const ticket = query.get('ticket')
      const held = ticket === null ? undefined : tickets.get(ticket)
      if (ticket !== null) tickets.delete(ticket)
      const header = request.headers['x-api-key']
      const cookie = /entrepot_signin=(\S+)/.exec(request.headers.cookie ?? '')?.[1]
      const named = ticket === null ? (typeof header === 'string' ? header : cookie) : held
      request.actor = actorOf(named)
    })
    api.post('/stream-tickets', async (request, reply) => {
      const ticket = `st_${randomUUID()}`
      const header = request.headers['x-api-key']
      const cookie = /entrepot_signin=(\S+)/.exec(request.headers.cookie ?? '')?.[1]
      tickets.set(ticket, typeof header === 'string' ? header : (cookie ?? ''))
      return reply.code(201).send({ data: { ticket, expires_at: new Date().toISOString() } })
    })
    usage.routes(api)
  }

  function actorOf(named: string | undefined): Actor {
    if (!named) throw new DomainError('unauthenticated', 'key_required', 'API key required')
    const base = { consumerId: randomUUID(), planId: null, apiKeyId: null }
    if (named === 'admin') return { ...base, userId: ADMIN_USER, access: 'admin', kind: 'cookie' }
    const user = /^user:(\d+)$/.exec(named)?.[1]
    if (user) return { ...base, userId: Number(user), access: 'read', kind: 'cookie' }
    const key = keys.get(Number(named))
    if (!key) throw new DomainError('unauthenticated', 'invalid_key', 'Invalid API key')
    if (key.status !== 'active') {
      throw new DomainError('forbidden', `key_${key.status}`, `API key ${key.status}`)
    }
    const { id, userId } = key
    return { ...base, userId, apiKeyId: id, planId: key.plan.id, access: 'read', kind: 'key' }
  }

  function addKey(given: Parameters<UsageServer['addKey']>[0] = {}): KeyInfo {
    const id = keys.size + 100
    const { plan, ...rest } = given
    const key: KeyInfo = {
      id,
      userId: id + 1_000,
      consumerId: randomUUID(),
      status: 'active',
      createdAtMs: clock.now() - 400 * DAY,
      expiresAtMs: null,
      revokedAtMs: null,
      ...rest,
      plan: {
        id: 2,
        name: 'Starter',
        requestsPerMonth: 10_000,
        requestsPerMinute: 60,
        priceCents: 1_900,
        currency: 'USD',
        ...plan,
      },
    }
    keys.set(id, key)
    return key
  }

  async function hand(
    to: Usage,
    entries: readonly Partial<UsageRecord>[],
    ids?: readonly string[],
  ) {
    const records = entries.map((entry, place) => ({
      id: ids?.[place] ?? randomUUID(),
      data: JSON.parse(JSON.stringify(encodeUsage({ ...plain(), ...entry }))),
    }))
    await db.aux.transaction(undefined, (tx) => to.handle(tx, records))
  }

  function plain(): UsageRecord {
    return {
      keyId: 0,
      endpoint: '/api/v1/articles',
      method: 'GET',
      status: 200,
      responseMs: 20,
      atMs: clock.now(),
      counted: true,
      cost: 1,
      requestId: randomUUID(),
      monthLimit: null,
      epoch: 0,
    }
  }

  async function get(path: string, as: string | number, headers: Record<string, string> = {}) {
    return fetch(url + path, { headers: { 'x-api-key': String(as), ...headers } })
  }

  async function json<T>(path: string, as: string | number): Promise<Body<T>> {
    const answer = await get(path, as)
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
}

/** An event of a stream as a client sees it. */
interface Received {
  readonly id: number
  readonly event: string
  readonly data: Record<string, unknown>
}

/** A client of the event stream that keeps what it received. */
export async function openStream(
  server: Pick<UsageServer, 'url'>,
  as: string | number,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  const abort = new AbortController()
  const answer = await fetch(`${server.url}/api/v1/usage/stream${query}`, {
    headers: { 'x-api-key': String(as), ...headers },
    signal: abort.signal,
  })
  const events: Received[] = []
  let text = ''
  let isOver = false
  const over = answer.ok ? follow() : answer.text().catch(() => '')
  after(() => abort.abort())
  return {
    answer,
    events,
    text: () => text,
    isOver: () => isOver,
    over,
    close: () => abort.abort(),
    named: (name: string) => events.filter(({ event }) => event === name),
  }

  async function follow() {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        collect()
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error
    }
    isOver = true
    return text
  }

  function collect() {
    const blocks = text.split('\n\n').slice(0, -1)
    events.length = 0
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => split(line)))
      const data = fields.get('data')
      if (data === undefined) continue
      const id = Number(fields.get('id'))
      events.push({ id, event: fields.get('event') ?? '', data: JSON.parse(data) })
    }
  }

  function split(line: string): [string, string] {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 2)]
  }
}
