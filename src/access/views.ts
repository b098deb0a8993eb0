import type { Kysely } from 'kysely'
import type { Database } from '#db'
import {
  type Actor,
  type Clock,
  conflict,
  DomainError,
  hasAccess,
  invalid,
  isRawNumber,
  notFound,
} from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import {
  countViewsOf,
  deleteView,
  findView,
  findViews,
  insertView,
  updateView,
  type View,
  type ViewFigures,
} from './store/views.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly db: Pick<Database, 'main'>
  readonly clock: Clock
}

const MOST_OF_ONE = 200
const MOST_CHARACTERS = 10_000

/** Lists as a person wants to see them again: their own, and those that others share. */
export function createViews({ db, clock }: Deps) {
  const reader: Kysely<AccessTables> = db.main.reader
  const writer: Kysely<AccessTables> = db.main.writer
  return { list, get, create, update, remove }

  function list(
    actor: Actor,
    area: string | undefined,
    query: ListQuery,
  ): Promise<FoundPage<View>> {
    return findViews(reader, { userId: actor.userId, area }, query)
  }

  /** What is somebody else's and not shared does not exist for others, an admin included. */
  async function get(actor: Actor, id: number): Promise<View> {
    const view = await findView(reader, id)
    if (!view || !(view.isShared || view.userId === actor.userId)) throw notFound('view')
    return view
  }

  async function create(actor: Actor, figures: ViewFigures): Promise<View> {
    refuseUnfit(figures)
    if ((await countViewsOf(reader, actor.userId)) >= MOST_OF_ONE) {
      throw conflict('too_many_views', `You have ${MOST_OF_ONE} views; delete one first`)
    }
    return insertView(writer, figures, { userId: actor.userId, nowMs: clock.now() })
  }

  async function update(actor: Actor, id: number, change: Partial<ViewFigures>): Promise<View> {
    const view = await getOwn(actor, id)
    const figures = { ...view, ...change }
    refuseUnfit(figures)
    const updated = await updateView(writer, id, figures, clock.now())
    if (!updated) throw notFound('view')
    return updated
  }

  async function remove(actor: Actor, id: number): Promise<void> {
    await getOwn(actor, id)
    await deleteView(writer, id)
  }

  async function getOwn(actor: Actor, id: number): Promise<View> {
    const view = await get(actor, id)
    if (view.userId === actor.userId || hasAccess(actor, 'admin')) return view
    const message = 'Only its owner or an admin may change a shared view; save one of your own'
    throw new DomainError('forbidden', 'forbidden', message, { facts: { required: 'admin' } })
  }
}

export type Views = ReturnType<typeof createViews>

function refuseUnfit({ query }: ViewFigures): void {
  // Schemas take a number that no double holds for the object it arrives as.
  if (isRawNumber(query)) {
    throw invalid([{ path: ['query'], rule: 'type', message: 'query must be an object' }])
  }
  if (JSON.stringify(query).length <= MOST_CHARACTERS) return
  const message = `query must have at most ${MOST_CHARACTERS} characters as JSON`
  throw invalid([{ path: ['query'], rule: 'maxLength', message }])
}
