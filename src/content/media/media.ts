import type { Kysely } from 'kysely'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import {
  type AccessLevel,
  type Actor,
  type Clock,
  conflict,
  type Ids,
  type Log,
  notFound,
  type Random,
} from '#kernel'
import type { ListQuery } from '#paging'
import type { Trx } from '../entries/store/statements.ts'
import { eventsOfOthers, findReferring } from '../entries/tell-others.ts'
import type { MediaFile } from '../entry.ts'
import { fold } from '../fold.ts'
import type { ContentModel } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { isFile } from './bytes/chunks.ts'
import { createFileBytes } from './bytes/file-bytes.ts'
import { cleanIncoming } from './bytes/incoming.ts'
import { storedName } from './bytes/names.ts'
import { takeInDirectory } from './bytes/take-in.ts'
import { checkParts } from './check-crops.ts'
import { toKilobytes } from './kilobytes.ts'
import { findFiles } from './list.ts'
import { raiseOwners } from './owners.ts'
import { hasFormats } from './pictures/sizes.ts'
import { askForFormats, forgetPicture } from './pictures/store.ts'
import { createReceiver, type Received, type Upload } from './receive.ts'
import { isShownTo } from './shown.ts'
import type { FileInfo, FileTarget } from './store.ts'
import * as store from './store.ts'
import { findUses } from './uses.ts'

/** Who brings files from elsewhere chooses their uuid, so that bringing one twice is refused. */
export type NewFileInfo = FileInfo & { readonly uuid?: string }

export interface MediaDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly log: Pick<Log, 'info' | 'warn'>
  /** `<data>/uploads` */
  readonly directory: string
  readonly maxFileBytes: number
  readonly maxFiles: number
  readonly cacheBytes: number
  model(): ContentModel
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  /** Where clients see the server, for URLs in events. */
  readonly publicUrl?: string | undefined
  /** Called in the transaction of a change, with the types whose answers it changes. */
  touch(tx: Tx, typeNos: readonly number[]): void
}

/**
 * Uploaded files. Bytes are received first, then stored, and become a file with `keep`, so that a request that
 * fails later stores neither; whoever received them discards them then.
 */
export function createMedia(deps: MediaDeps) {
  const { db, clock, ids, maxFileBytes, maxFiles } = deps
  const reader: Kysely<ContentTables> = db.main.reader
  const bytes = createFileBytes(deps)
  const receiver = createReceiver({
    ...{ ...deps, bytes, maxBytes: maxFileBytes },
    isKept: (hash) => isFile(reader, hash),
  })
  return {
    bytes,
    limits: { maxFileBytes, maxFiles },
    receive: (upload: Upload) => receiver.receive(upload),
    /** Before the transaction that keeps them; on PostgreSQL this writes the bytes. */
    store: async (received: readonly Received[]) => {
      for (const file of received) await receiver.store(file)
    },
    discard: (received: readonly Received[]) => Promise.all(received.map(receiver.discard)),
    keep,
    replace,
    describe,
    remove,
    find: (target: FileTarget) => store.findFile(reader, target),
    /** As a caller of this level sees it. */
    findShown: (level: AccessLevel, target: FileTarget) =>
      store.findFile(reader, target, isShownTo(level, deps.model())),
    list: (level: AccessLevel, list: ListQuery) =>
      findFiles(reader, deps.db.dialect, list, isShownTo(level, deps.model())),
    /** Where these files are used as far as a caller of this level may read it, at most `limit` of each type. */
    findUses: (level: AccessLevel | null, files: readonly MediaFile[], limit: number) =>
      findUses(
        reader,
        { model: deps.model(), level },
        files.map(({ uuid }) => uuid),
        limit,
      ),
    clean: () => cleanIncoming(deps),
    takeIn: (signal: AbortSignal) => takeInDirectory(deps, signal),
  }

  async function keep(
    actor: Actor,
    received: Received,
    { uuid = ids.uuid(), ...info }: NewFileInfo = {},
    tx?: Tx,
  ): Promise<MediaFile> {
    return db.main.transaction(tx, async (inner) => {
      const nowMs = clock.now()
      const trx = inner.as<ContentTables>()
      if (await store.findFile(trx, { uuid }))
        throw conflict('conflict', `${uuid} is there already`)
      const file = await store.insertFile(trx, {
        uuid,
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
      if (hasFormats(file)) await askForFormats(trx, file, nowMs)
      await deps.appendEvents(inner, [toEvent('media.created', file)])
      inner.afterCommit(() => bytes.settle([storedName(file)]))
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
    if (received) await doubtAll(id)
    return db.main.transaction(outer, async (tx) => {
      const trx = tx.as<ContentTables>()
      const before = await store.findFile(trx, { id })
      const nowMs = clock.now()
      const after = await store.updateFile(trx, id, info, received, nowMs)
      if (!before || !after) throw notFound('file')
      checkParts(after, info)
      deps.touch(tx, await raiseOwners(trx, deps.model(), before.uuid, false))
      await deps.appendEvents(tx, await eventsOfOwners(trx, after))
      if (!received) return after
      await forgetPicture(trx, id)
      if (hasFormats(after)) await askForFormats(trx, after, nowMs)
      tx.afterCommit(async () => {
        await bytes.settle([storedName(after)])
        await bytes.remove(namesOf(before))
      })
      return after
    })
  }

  /** Entries that use it lose it, in live and working copies alike (content model §5). */
  async function remove(id: number): Promise<MediaFile> {
    await doubtAll(id)
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      const file = await store.findFile(trx, { id })
      if (!file) throw notFound('file')
      deps.touch(tx, await raiseOwners(trx, deps.model(), file.uuid, true))
      const shown = await eventsOfOwners(trx, file)
      if (!(await store.deleteFile(trx, file))) throw notFound('file')
      await forgetPicture(trx, id)
      await deps.appendEvents(tx, [toEvent('media.deleted', file), ...shown])
      tx.afterCommit(() => bytes.remove(namesOf(file)))
      return file
    })
  }

  /** A disk without room for names is no reason to keep the bytes. */
  async function doubtAll(id: number): Promise<void> {
    const file = await store.findFile(reader, { id })
    if (file) await bytes.doubt(namesOf(file)).catch(() => {})
  }

  /** Entries that show the file show something else now. */
  async function eventsOfOwners(trx: Trx, { uuid }: MediaFile): Promise<NewEvent[]> {
    const model = deps.model()
    const owners = await findReferring(trx, model, uuid, ({ type }) => type === 'media')
    return eventsOfOthers(trx, model, deps.publicUrl ?? '', owners)
  }
}

export type Media = ReturnType<typeof createMedia>

/** Of its own bytes and those of its formats. */
function namesOf(file: MediaFile): string[] {
  return [file, ...Object.values(file.formats ?? {})].map(storedName)
}

function toEvent(type: string, { id, url, mime, sizeBytes }: MediaFile): NewEvent {
  return { type, payload: { id, url, mime, size: toKilobytes(sizeBytes) } }
}
