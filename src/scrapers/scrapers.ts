import type { Bus } from '#bus'
import { nextTick } from '#cron'
import type { Alongside, Database } from '#db'
import type { AddressRule } from '#http'
import {
  type Actor,
  type Clock,
  DomainError,
  hasAccess,
  invalid,
  isObject,
  notFound,
} from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import { type Definition, readDefinition } from './definition/definition.ts'
import type { Scraper } from './records.ts'
import type { ScraperFilter, ScraperSort, ScraperStore } from './store/scrapers.ts'
import type { ScrapersTables } from './tables.ts'
import { WORK_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Pick<Bus, 'publish'>
  readonly store: ScraperStore
  /** The addresses that may be asked, by the settings in force now. */
  rule(): AddressRule
  hasCollection(name: string): boolean
  hasMedia(collection: string, attribute: string): boolean
  /** What has to be done before pages can be rendered, or null. */
  findRendererProblem(): string | null
}

/** Scrapers as their owners see them; admins see all (scrapers contract §1). */
export function createScrapers(deps: Deps) {
  const { db, clock, bus, store } = deps
  return { create, get, list, change, remove, checkDefinition }

  async function create(
    actor: Actor,
    body: unknown,
    alongside?: Alongside<Scraper>,
  ): Promise<Scraper> {
    const definition = checkDefinition(actor, body)
    const nowMs = clock.now()
    return db.main.transaction(undefined, async (tx) => {
      const scraper = await store.insert(tx.as<ScrapersTables>(), {
        ...{ userId: actor.userId, consumerId: actor.consumerId, definition },
        nextRunAtMs: nextRunOf(definition, nowMs),
        createdAtMs: nowMs,
      })
      await alongside?.(tx, scraper)
      return scraper
    })
  }

  async function get(actor: Actor, id: number | undefined): Promise<Scraper> {
    const found = id === undefined ? undefined : await store.find(db.main.reader, id)
    if (!found || !maySee(actor, found)) throw notFound('scraper')
    return found
  }

  async function list(
    actor: Actor,
    filter: Omit<ScraperFilter, 'userId'>,
    query: ListQuery<ScraperSort>,
  ): Promise<FoundPage<Scraper>> {
    const userId = hasAccess(actor, 'admin') ? null : actor.userId
    return store.findMany(db.main.reader, { ...filter, userId }, query)
  }

  async function change(actor: Actor, id: number | undefined, body: unknown): Promise<Scraper> {
    const found = await get(actor, id)
    const changed = await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ScrapersTables>()
      // Changes of other members, and ticks of the schedule, come before or after this one.
      const before = await store.lock(trx, found.id)
      if (!before) return undefined
      const definition = checkDefinition(actor, body, before.definition)
      const updatedAtMs = clock.now()
      const nextRunAtMs = isRescheduled(before.definition, definition)
        ? nextRunOf(definition, updatedAtMs)
        : before.nextRunAtMs
      // A live run goes slower at once (scrapers contract §1.1).
      tx.afterCommit(() => bus.publish(WORK_TOPIC, null))
      return store.update(trx, before.id, { definition, nextRunAtMs, updatedAtMs })
    })
    if (!changed) throw notFound('scraper')
    return changed
  }

  async function remove(scraper: Scraper): Promise<void> {
    await db.main.transaction(undefined, (tx) =>
      store.remove(tx.as<ScrapersTables>(), scraper.id, clock.now()),
    )
  }

  /** All that is wrong with a definition at once; then what is well-formed but cannot be used. */
  function checkDefinition(actor: Actor, body: unknown, base?: Definition): Definition {
    if (!isObject(body)) {
      throw new DomainError('invalid', 'invalid_json', 'The body must be a JSON object')
    }
    const { definition, issues } = readDefinition(body, base)
    if (issues.length > 0) throw invalid(issues)
    refuseUnusable(actor, definition)
    return definition
  }

  function refuseUnusable(
    actor: Actor,
    { url, startUrls, schedule, timezone, ...rest }: Definition,
  ) {
    const { output, crawl } = rest
    const rule = deps.rule()
    for (const [field, text] of [['url', url], ...startUrls.map((each) => ['start_urls', each])]) {
      const refused = rule.checkUrl(text ?? '')
      if (refused !== null) throw unusable('address_not_allowed', field ?? 'url', refused)
    }
    if (schedule !== null && nextTick(schedule, timezone, clock.now()) === null) {
      throw unusable('schedule_never_fires', 'schedule', 'This schedule never fires')
    }
    const missing = crawl.render === 'browser' ? deps.findRendererProblem() : null
    if (missing !== null) throw unusable('renderer_unavailable', 'crawl.render', missing)
    if (!output) return
    if (output.create && !hasAccess(actor, 'admin')) {
      throw new DomainError('forbidden', 'forbidden', 'output.create needs the access level admin')
    }
    if (!output.create && !deps.hasCollection(output.collection)) {
      const message = `There is no collection ${output.collection}`
      throw unusable('unknown_collection', 'output.collection', message)
    }
    if (!deps.hasCollection(output.collection)) return
    for (const name of output.media.keys()) {
      if (deps.hasMedia(output.collection, name)) continue
      const message = `${output.collection} has no media attribute ${name}`
      throw unusable('unknown_attribute', `output.media.${name}`, message)
    }
  }
}

export type Scrapers = ReturnType<typeof createScrapers>

function maySee(actor: Actor, { userId }: Scraper): boolean {
  return userId === actor.userId || hasAccess(actor, 'admin')
}

export function nextRunOf(definition: Definition, afterMs: number): number | null {
  const { schedule, scheduleEnabled, timezone } = definition
  return schedule !== null && scheduleEnabled ? nextTick(schedule, timezone, afterMs) : null
}

function isRescheduled(before: Definition, after: Definition): boolean {
  return (
    before.schedule !== after.schedule ||
    before.timezone !== after.timezone ||
    before.scheduleEnabled !== after.scheduleEnabled
  )
}

function unusable(code: string, field: string, message: string): DomainError {
  const issues = [{ path: field.split('.'), rule: code, message }]
  return new DomainError('unprocessable', code, message, { issues })
}
