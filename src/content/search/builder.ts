import type { Kysely } from 'kysely'
import type { Revisions } from '#bus'
import type { AnyTables, Database } from '#db'
import type { Log } from '#kernel'
import type { ContentModel, ContentType } from '../model.ts'
import { MODEL_TOPIC } from '../model-holder.ts'
import type { ContentTables } from '../tables.ts'
import { lockTypes } from '../types/store.ts'
import { followChangedType } from './follow.ts'
import { INDEX, indexedOf, sourceOf } from './indexed.ts'
import { findIndexState, findUnready, type IndexState, lastCopyOf, noteIndexed } from './store.ts'
import { tidyIndex } from './take-in.ts'

interface Deps {
  readonly db: Database
  readonly revisions: Pick<Revisions, 'bump'>
  readonly log: Log
  model(): ContentModel
}

/** All other writers wait for a step, so its size follows from what the last one took. */
const STEP_MS = 10
const FIRST_STEP = 50
const LARGEST_STEP = 2_000
const SAY_EVERY_MS = 10_000

/**
 * Takes into the search index what was there before it followed a type, in steps that hold up nobody. A
 * process that dies leaves the rest to the next.
 */
export function createIndexBuilder({ db, revisions, log, model }: Deps) {
  const reader: Kysely<ContentTables> = db.main.reader
  return { build }

  async function build(signal: AbortSignal): Promise<void> {
    for (const { typeNo } of await findUnready(reader)) {
      const type = model().typeByNo(typeNo)
      if (signal.aborted) return
      if (type) await buildType(type, signal)
    }
  }

  async function buildType(type: ContentType, signal: AbortSignal) {
    const startedMs = performance.now()
    const state = await beginning(type)
    if (!state || state.ready) return
    // The model of this thread is not the one that was written: it is told when it is.
    if (JSON.stringify(state.source) !== JSON.stringify(sourceOf(indexedOf(type)))) return
    let saidMs = startedMs
    let size = FIRST_STEP
    for (let last: number | null = state.indexedTo; last !== null; ) {
      if (signal.aborted) return
      const stepMs = performance.now()
      last = await step(type, state, last, size)
      const tookMs = performance.now() - stepMs
      size = nextSize(size, tookMs)
      await tidyIndex(db, tookMs)
      if (last === null || performance.now() - saidMs < SAY_EVERY_MS) continue
      saidMs = performance.now()
      const of = await lastCopyOf(reader, type.table)
      log.info({ type: type.singularName, copy: last, of }, 'the search index is being built')
    }
    if (!(await finish(state))) return
    const durationMs = Math.round(performance.now() - startedMs)
    log.info({ type: type.singularName, durationMs }, 'the search index of a type is complete')
  }

  /** Of a store that is older than the index, it now begins to follow the type. */
  async function beginning(type: ContentType): Promise<IndexState | undefined> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      await lockTypes(trx, db.dialect, [type.no])
      const known = await findIndexState(trx, type.no)
      if (!known || known.source) return known
      await followChangedType(trx, db.dialect, type, new Set())
      return findIndexState(trx, type.no)
    })
  }

  async function step(type: ContentType, state: IndexState, after: number, most: number) {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      const { textIndex } = db.dialect
      const last = await textIndex.fill(tx.as<AnyTables>(), INDEX, indexedOf(type), after, most)
      if (last === null) return null
      const isWanted = await noteIndexed(trx, state, { indexedTo: last })
      return isWanted ? last : null
    })
  }

  /** All nodes learn that lists of the type may be searched by the index. */
  async function finish(state: IndexState): Promise<boolean> {
    return db.main.transaction(undefined, async (tx) => {
      await revisions.bump(tx, MODEL_TOPIC)
      return noteIndexed(tx.as<ContentTables>(), state, 'ready')
    })
  }
}

function nextSize(size: number, tookMs: number): number {
  const fitting = (size * STEP_MS) / Math.max(tookMs, 1)
  return Math.max(10, Math.min(LARGEST_STEP, size * 2, Math.round(fitting)))
}
