import type { Bus, BusMessage } from '#bus'
import type { Clock, Log } from '#kernel'
import type { Figures, FiguresOf } from './figures.ts'
import { USAGE_TOPIC } from './ingest.ts'
import { startOf } from './periods.ts'
import { keyIdsOf, type Scope, type Scopes, scopeName } from './scope.ts'

/** Hears the figures of its scope; true when they were new to it, at most once a second. */
export type FiguresListener = (figures: Figures) => boolean

interface Deps {
  readonly figuresOf: FiguresOf
  readonly scopes: Pick<Scopes, 'refresh'>
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

interface Board {
  scope: Scope
  readonly listeners: Set<FiguresListener>
  /** The minute the figures were last worked out in: a new one starts at zero. */
  minuteMs: number
  /** Both of the monotonic clock. */
  workedOutMs: number
  changedMs: number
  timer: NodeJS.Timeout | undefined
  /** One at a time: an older answer must not come after a newer one. */
  isBusy: boolean
  isStale: boolean
}

const CHANGED_EVERY_MS = 1_000
/** Most notices change something; those that do not must not keep the next from being seen. */
const WORKED_OUT_EVERY_MS = 200
/** Should a notice get lost, the figures are late by no more than this. */
const AT_LEAST_EVERY_MS = 10_000

/** The figures that somebody watches, worked out once however many do. */
export function createBoards({ figuresOf, scopes, bus, clock, log }: Deps) {
  const boards = new Map<string, Board>()
  let unsubscribe: (() => void) | undefined
  return { start, stop, watch, touch, doubt, tick }

  function start() {
    unsubscribe = bus.subscribe(USAGE_TOPIC, (message) => {
      const keyIds = parseKeyIds(message)
      for (const board of boards.values()) {
        if (board.scope.keys.some((key) => keyIds.has(key.id))) schedule(board)
      }
    })
  }

  function stop() {
    unsubscribe?.()
    for (const board of boards.values()) clearTimeout(board.timer)
    boards.clear()
  }

  /** Returns the function that ends it. */
  function watch(scope: Scope, listener: FiguresListener): () => void {
    const name = scopeName(scope)
    const board = boards.get(name) ?? createBoard(scope, clock.now())
    boards.set(name, board)
    board.listeners.add(listener)
    return () => {
      board.listeners.delete(listener)
      if (board.listeners.size > 0 || boards.get(name) !== board) return
      clearTimeout(board.timer)
      boards.delete(name)
    }
  }

  /** A key changed: the scopes concerned are looked up anew, at once. */
  function touch(concerns: (scope: Scope) => boolean) {
    for (const board of boards.values()) {
      if (!concerns(board.scope)) continue
      board.isStale = true
      schedule(board)
    }
  }

  /** Anything may have changed; with the next tick, because changes may come by the thousand. */
  function doubt() {
    for (const board of boards.values()) board.isStale = true
  }

  function tick() {
    const minuteMs = startOf('minute', clock.now())
    for (const board of boards.values()) {
      if (performance.now() - board.workedOutMs > AT_LEAST_EVERY_MS) board.isStale = true
      if (board.isStale || board.minuteMs !== minuteMs) schedule(board)
    }
  }

  function schedule(board: Board) {
    if (board.timer) return
    const dueMs = Math.max(
      board.workedOutMs + WORKED_OUT_EVERY_MS,
      board.changedMs + CHANGED_EVERY_MS,
    )
    const waitMs = Math.max(0, dueMs - performance.now())
    board.timer = setTimeout(() => void workOut(board), waitMs)
  }

  async function workOut(board: Board) {
    // Notices that come from here on need another turn.
    board.timer = undefined
    board.workedOutMs = performance.now()
    if (board.isBusy) return schedule(board)
    board.isBusy = true
    board.minuteMs = startOf('minute', clock.now())
    try {
      if (board.isStale) board.scope = await scopes.refresh(board.scope)
      board.isStale = false
      const figures = await figuresOf(board.scope)
      for (const listener of board.listeners) {
        if (listener(figures)) board.changedMs = board.workedOutMs
      }
    } catch (error) {
      log.warn({ err: error, keys: keyIdsOf(board.scope).length }, 'usage figures are late')
    } finally {
      board.isBusy = false
    }
  }
}

export type Boards = ReturnType<typeof createBoards>

function createBoard(scope: Scope, nowMs: number): Board {
  return {
    scope,
    listeners: new Set(),
    minuteMs: startOf('minute', nowMs),
    workedOutMs: Number.NEGATIVE_INFINITY,
    changedMs: Number.NEGATIVE_INFINITY,
    timer: undefined,
    isBusy: false,
    isStale: false,
  }
}

function parseKeyIds(message: BusMessage): Set<number> {
  if (!Array.isArray(message)) return new Set()
  return new Set(message.filter((id) => typeof id === 'number'))
}
