import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyRequired } from '#access'
import type { ContentModel } from '#content-model'
import { mayRead, requireMay } from '#content-query'
import type { Event } from '#events'
import { queryTextOf } from '#http-text'
import { type AccessLevel, DomainError, hasAccess, renderTime } from '#kernel'
import { badParameter, parseIntegerId, reportUnknown } from '#paging'
import type { RestDeps } from '../deps.ts'
import { type Parameters, refuseFilters, splitQuery } from '../query/parameters.ts'
import type { Version } from '../query/parse.ts'

type Deps = Pick<RestDeps, 'content' | 'events' | 'eventNamesOf'>

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

/** What changed, in the one order of all events (contract §9). */
export function createChanges({ content, events, eventNamesOf }: Deps) {
  return { list }

  async function list(request: FastifyRequest, reply: FastifyReply, version: Version) {
    const { actor } = request
    if (!actor) throw keyRequired()
    const split = splitQuery(queryTextOf(request), true)
    refuseFilters(split)
    const parameters = split.read()
    reportUnknown(request, reply, split.names, ['after', 'limit', 'types'])
    const limit = parseLimit(parameters)
    const model = content.model()
    const types = parseTypes(parameters, model, actor.access)
    const after = parseAfter(parameters)
    if (after === 'now') return renderPage([], limit, await events.lastSeq(), false)

    const live = !hasAccess(actor, 'write')
    const byEvent = new Map(
      types.flatMap((type) =>
        eventNamesOf({ singularName: type }).map((name) => [name, type] as const),
      ),
    )
    if (after !== undefined) await refuseExpired(after)
    const query = { after: after ?? 0, limit, types: [...byEvent.keys()], live }
    const { events: found, through, last } = await events.readEvents(query)
    const isHidden = hiddenFormer(model, actor.access)
    const data = found.flatMap((event) => {
      const type = byEvent.get(event.type)
      if (type && isHidden(type, event.occurredAtMs)) return []
      // What was told of stock before it named its product cannot be followed up.
      const isNamed = event.payload['document_id'] !== undefined
      return type && isNamed ? [renderChange(event, type, version, live)] : []
    })
    return renderPage(data, limit, through, through < last)
  }

  /** Whoever continues from before the oldest kept event has missed something. */
  async function refuseExpired(after: number): Promise<void> {
    if (after >= (await events.oldestSeq()) - 1) return
    throw new DomainError(
      'gone',
      'changes_expired',
      'Changes after this position are no longer kept; read everything again and go on from now',
    )
  }
}

function parseLimit(parameters: Parameters): number {
  const text = parameters.text('limit')
  if (text === undefined) return DEFAULT_LIMIT
  const limit = parseIntegerId(text)
  if (limit === undefined || limit < 1) {
    throw badParameter('limit', 'must be an integer of at least 1')
  }
  return Math.min(limit, MAX_LIMIT)
}

function parseAfter(parameters: Parameters): number | 'now' | undefined {
  const text = parameters.text('after')
  if (text === undefined || text === 'now') return text
  const after = parseIntegerId(text)
  if (after === undefined) throw badParameter('after', 'must be a position or now')
  return after
}

/** Singular names, also of types that are gone: whoever mirrors one learns how its entries went. */
function parseTypes(
  parameters: Parameters,
  model: ContentModel,
  level: AccessLevel,
): readonly string[] {
  const names = parameters.words('types')
  if (names?.length === 0) throw badParameter('types', 'names no content type')
  const former = model.formerTypes
    .filter(({ singularName }) => !model.types.some((type) => type.singularName === singularName))
    .filter(({ readLevel }) => couldRead(level, readLevel))
    .map(({ singularName }) => singularName)
  const types = model.types.filter((type) => mayRead({ level }, type))
  if (names === undefined) return [...types.map(({ singularName }) => singularName), ...former]
  return names.map((name) => {
    const type = model.findType(name)
    if (type) requireMay(level, type, 'read')
    const found = type?.singularName ?? former.find((each) => each === name)
    if (found) return found
    throw badParameter('types', `names ${name.slice(0, 100)}, which is no content type`)
  })
}

/** What was told under a name while a type had it whose entries the caller could not read. */
function hiddenFormer({ formerTypes, types }: ContentModel, level: AccessLevel) {
  const hidden = formerTypes.filter(({ readLevel }) => !couldRead(level, readLevel))
  const until = new Map(
    hidden.map(({ singularName, removedAtMs }) => {
      // How its entries went is told after it is gone, but before another type can have the name.
      const next = types.find((type) => type.singularName === singularName)
      return [singularName, Math.max(removedAtMs, (next?.createdAtMs ?? 0) - 1)] as const
    }),
  )
  return (type: string, atMs: number) => atMs <= (until.get(type) ?? Number.NEGATIVE_INFINITY)
}

function couldRead(level: AccessLevel, needed: AccessLevel | 'none'): boolean {
  return needed === 'none' || hasAccess({ access: level }, needed)
}

/** Readers of live copies see an entry appear, change and go; how, is not theirs to know. */
function renderChange(event: Event, type: string, version: Version, live: boolean) {
  const { seq, payload, occurredAtMs } = event
  const { id, document_id } = payload
  return {
    seq,
    event: live ? liveName(event) : event.type,
    type,
    ...(version === 1 ? { id } : { id: document_id, entry_id: id }),
    document_id,
    locale: payload['locale'] ?? null,
    occurred_at: renderTime(occurredAtMs),
  }
}

/** Products tell of publishing as updates: their status says whether there still is a live copy. */
function liveName({ type, payload }: Event): string {
  return payload['status'] === 'draft' ? type.replace(/\.\w+$/, '.deleted') : type
}

function renderPage(data: readonly object[], limit: number, nextAfter: number, hasMore: boolean) {
  return { data, meta: { limit, next_after: nextAfter, has_more: hasMore } }
}
