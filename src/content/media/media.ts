import type { Kysely } from 'kysely'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import { type Actor, type Clock, type Ids, notFound, type Random } from '#kernel'
import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import type { ContentModel } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { raiseOwners } from './owners.ts'
import { createReceiver, type Received, type Upload } from './receive.ts'
import type { FileInfo, FileTarget } from './store.ts'
import * as store from './store.ts'

export interface MediaDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  /** `<data>/uploads`; every node must see the same files. */
  readonly directory: string
  readonly maxFileBytes: number
  readonly maxFiles: number
  model(): ContentModel
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  /** Called in the transaction of a change, with the types whose answers it changes. */
  touch(tx: Tx, typeNos: readonly number[]): void
}

/**
 * Uploaded files. Bytes are received first and become a file with `keep`, so that a request that
 * fails later stores neither; whoever received them discards them then.
 */
export function createMedia(deps: MediaDeps) {
  const { db, clock, ids, maxFileBytes, maxFiles } = deps
  const reader: Kysely<ContentTables> = db.main.reader
  const receiver = createReceiver({ ...deps, maxBytes: maxFileBytes })
  return {
    limits: { maxFileBytes, maxFiles },
    receive: (upload: Upload) => receiver.receive(upload),
    discard: (received: readonly Received[]) => Promise.all(received.map(receiver.discard)),
    keep,
    replace,
    describe,
    remove,
    find: (target: FileTarget) => store.findFile(reader, target),
    clean: () => receiver.clean(Date.now()),
  }

  async function keep(
    actor: Actor,
    received: Received,
    info: FileInfo = {},
    tx?: Tx,
  ): Promise<MediaFile> {
    return db.main.transaction(tx, async (inner) => {
      const nowMs = clock.now()
      const file = await store.insertFile(inner.as<ContentTables>(), {
        uuid: ids.uuid(),
        folder: '/',
        name: received.name,
        name_fold: fold(received.name),
        ...store.bytesOf(received),
        ...store.toColumns(info),
        provider: 'local',
        created_by: actor.userId,
        created_at: nowMs,
        updated_at: nowMs,
      })
      await deps.appendEvents(inner, [toEvent('media.created', file)])
      return file
    })
  }

  /** Other bytes under the same id; their URL is new, because the old one may be cached for ever. */
  async function replace(
    id: number,
    received: Received,
    info: FileInfo = {},
    tx?: Tx,
  ): Promise<MediaFile> {
    return change(id, info, received, tx)
  }

  async function describe(id: number, info: FileInfo): Promise<MediaFile> {
    return change(id, info, undefined)
  }

  async function change(
    id: number,
    info: FileInfo,
    received: Received | undefined,
    outer?: Tx,
  ): Promise<MediaFile> {
    return db.main.transaction(outer, async (tx) => {
      const trx = tx.as<ContentTables>()
      const before = await store.findFile(trx, { id })
      const after = await store.updateFile(trx, id, info, received, clock.now())
      if (!before || !after) throw notFound('file')
      deps.touch(tx, await raiseOwners(trx, deps.model(), before.uuid, false))
      if (received) tx.afterCommit(() => receiver.discard(before))
      return after
    })
  }

  /** Entries that use it lose it, in live and working copies alike (content model §5). */
  async function remove(id: number): Promise<MediaFile> {
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      const file = await store.findFile(trx, { id })
      if (!file) throw notFound('file')
      deps.touch(tx, await raiseOwners(trx, deps.model(), file.uuid, true))
      await store.deleteFile(trx, file)
      await deps.appendEvents(tx, [toEvent('media.deleted', file)])
      tx.afterCommit(() => receiver.discard(file))
      return file
    })
  }
}

export type Media = ReturnType<typeof createMedia>

function toEvent(type: string, { id, url, mime, sizeBytes }: MediaFile): NewEvent {
  return { type, payload: { id, url, mime, size: toKilobytes(sizeBytes) } }
}

/** Kilobytes with two decimals, as every dialect but content delivery shows sizes. */
export function toKilobytes(sizeBytes: number): number {
  return Math.round(sizeBytes / 10) / 100
}
