/** Makes the smaller pictures of uploaded ones, each on one node only. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Database, Tx } from '#db'
import { anyOf, backoffMs, createClaims, createLoop, type Lookout, type Loop, SELDOM } from '#jobs'
import type { Clock, Log, Random } from '#kernel'
import type { MediaFile, PictureFormat } from '../../entry.ts'
import type { ContentModel } from '../../model.ts'
import type { ContentTables } from '../../tables.ts'
import { createFileBytes } from '../bytes/file-bytes.ts'
import { INCOMING } from '../bytes/incoming.ts'
import { storedName } from '../bytes/names.ts'
import { raiseOwners } from '../owners.ts'
import { findFile } from '../store.ts'
import { toFormat } from './format.ts'
import type { MadePictures } from './order.ts'
import { createPictureProcess } from './picture-process.ts'
import {
  finishPicture,
  type Held,
  isSomethingDue,
  picturesDue,
  saveFormats,
  tryLater,
} from './store.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  readonly owner: string
  readonly lookout: Pick<Lookout, 'watch'>
  readonly uploads: {
    readonly directory: string
    readonly cacheBytes: number
    readonly maxPixels: number
  }
  model(): ContentModel
  touch(tx: Tx, typeNos: readonly number[]): void
}

/** Another node may have what is due. */
const REST_MS = 1_000
/** Longer than a picture may take with reading and storing it. */
const LEASE_MS = 180_000
const ATTEMPTS = 3
const PAUSES = { firstMs: 5_000, maxMs: 60_000 }

export function startPictures(deps: Deps): Loop {
  const { db, clock, log, random, owner } = deps
  const { directory, maxPixels } = deps.uploads
  const reader: Kysely<ContentTables> = db.main.reader
  const writer: Kysely<ContentTables> = db.main.writer
  const bytes = createFileBytes({ db, clock, log, ...deps.uploads })
  const claims = createClaims<ContentTables>({
    ...{ store: db.main, dialect: db.dialect, owner, random },
  })
  const pictures = createPictureProcess()
  let isUnable = false
  const loop = createLoop({
    ...{ name: 'pictures', ...SELDOM, restMs: REST_MS, log, random, run },
    wake: deps.lookout.watch((nowMs) => anyOf(picturesDue(reader, nowMs), 'due_at')),
  })
  return { stop }

  async function stop() {
    await loop.stop()
    pictures.stop()
  }

  /** One picture; true while there may be more. */
  async function run(signal: AbortSignal): Promise<boolean> {
    if (isUnable || !(await isSomethingDue(reader, clock.now()))) return false
    const { rows, holder, release } = await claims.claim({
      ...{ table: 'content_pictures', key: 'file_id', order: ['due_at', 'file_id'] },
      due: (query, nowMs) => query.where('due_at', '<=', nowMs),
      ...{ limit: 1, leaseMs: LEASE_MS },
    })
    const [row] = rows
    if (!row) return false
    const held = {
      ...{ fileId: row.file_id, hash: row.hash, holder },
      release: () => release([row.file_id]),
    }
    const file = await findFile(reader, { id: held.fileId })
    if (file?.hash === held.hash) await work(held, file, row.attempts + 1, signal)
    else await finishPicture(writer, held)
    return !isUnable
  }

  async function work(
    held: Held & { release(): Promise<void> },
    file: MediaFile,
    attempt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const about = { file: file.id, mime: file.mime, bytes: file.sizeBytes, attempt }
    const path = await bytes.toLocal(storedName(file))
    const into = join(directory, INCOMING, `${random.text(16)}-`)
    await mkdir(join(directory, INCOMING), { recursive: true })
    const startedMs = performance.now()
    const outcome = path
      ? await pictures.make({ path, into, maxPixels }, signal)
      : ({ kind: 'died', message: 'its bytes are not there' } as const)
    if (outcome.kind === 'made') {
      await keep(held, file, outcome)
      const durationMs = Math.round(performance.now() - startedMs)
      return log.info(
        { ...about, formats: outcome.pictures.length, durationMs },
        'a picture got its formats',
      )
    }
    const { message } = outcome
    if (outcome.kind === 'unable') {
      isUnable = true
      log.warn({ reason: message }, 'pictures get no formats: sharp does not run on this machine')
    }
    if (isUnable || signal.aborted) return held.release()
    const isLast = outcome.kind === 'refused' || attempt >= ATTEMPTS
    if (!isLast) return tryLater(writer, held, clock.now() + backoffMs(attempt, PAUSES, random))
    log.warn({ ...about, reason: message }, 'a picture gets no formats')
    await finishPicture(writer, held)
  }

  /** The bytes first, so that whoever reads of a format finds it; without its row they go again. */
  async function keep(held: Held, file: MediaFile, made: MadePictures) {
    const formats: Record<string, PictureFormat> = {}
    for (const picture of made.pictures) {
      const format = toFormat(file, picture)
      await bytes.take(picture.path, storedName(format))
      formats[picture.size] = format
    }
    const isKept = await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      if (!(await finishPicture(trx, held))) return false
      await saveFormats(trx, file.id, formats, made)
      deps.touch(tx, await raiseOwners(trx, deps.model(), file.uuid, false))
      return true
    })
    if (!isKept) await discard(held, Object.values(formats))
  }

  /** Unless another holder of the same picture has kept the same bytes meanwhile. */
  async function discard({ fileId, hash }: Held, formats: readonly PictureFormat[]) {
    const now = await findFile(reader, { id: fileId })
    if (now?.hash !== hash) await bytes.remove(formats.map(storedName))
  }
}
