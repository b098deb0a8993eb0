import type { Database } from '#db'
import {
  createLoader,
  endMove,
  findMove,
  inOrder,
  type Move,
  openSnapshot,
  type Snapshot,
  saveMove,
  untilQuiet,
} from '#db-transfer'
import { OperatorError } from '#kernel'
import { copyTables } from './copy-tables.ts'
import type { Files } from './files.ts'
import { isKept } from './left-out.ts'
import { isEmpty, prepareTarget, refuseNewer, type Target } from './load.ts'
import { compareFiles, compareTables } from './verify.ts'

/** A database that rows can be read from beside others. */
export interface Place {
  /** Without its password, for people. */
  readonly name: string
  readonly at: Parameters<typeof openSnapshot>[0]
}

interface Deps {
  readonly source: Place & { readonly database: Database; readonly files: Files }
  readonly target: Place & Target
  readonly version: string
  newId(): string
  now(): number
  /** Told now and then how far it is. */
  progress(text: string): void
}

export interface Moved {
  readonly tables: number
  readonly rows: number
  readonly files: number
}

/**
 * Copies an installation into an empty database of either kind. From its announcement on the source is only
 * read, by all nodes, until it is cancelled. Broken off at any moment it is gone on with by doing it again.
 */
export async function move(deps: Deps): Promise<Moved> {
  const { source, target, progress } = deps
  const { out, isFinished } = await begin(deps)
  if (!isFinished) {
    progress('waiting until nothing writes any more')
    await withSnapshot(source, async (snapshot) => {
      refuseNewer(snapshot.migrations, target.migrations, deps.version)
      await untilQuiet(source.database, snapshot.tables.filter(isKept), filesOf(source))
    })
    // A new one: it has what was written while the announcement went round.
    await withSnapshot(source, (snapshot) => copy(snapshot, out))
  }
  const moved = await withSnapshot(source, compare)
  // In this order: broken off in between, the same command finds both marks and only finishes.
  await saveMove(source.database.main.writer, { ...out, state: 'moved' })
  await endMove(target.database.main.writer, 'in')
  return moved

  async function copy(snapshot: Snapshot, { id }: Move) {
    const names = new Set(snapshot.migrations)
    await prepareTarget(target, names, { id, peer: source.name, atMs: deps.now() })
    const tables = inOrder(snapshot.tables.filter(isKept))
    const loader = createLoader(target.database)
    await loader.prepare(tables)
    await copyTables({ snapshot, tables, loader, database: target.database, progress })
    await loader.keepNumbers(tables, snapshot.sequences)
    progress('building indexes')
    await target.complete(target.database)
    await copyFiles(source.files, target.files, progress)
  }

  async function compare(snapshot: Snapshot): Promise<Moved> {
    const tables = inOrder(snapshot.tables.filter(isKept))
    const rows = await withSnapshot(target, (other) =>
      compareTables(tables, snapshot, other, progress),
    )
    const files = await compareFiles(source.files, target.files)
    return { tables: tables.length, rows, files }
  }
}

/** Lets the source be written again; what the target has is given up. */
export async function cancelMove(database: Database): Promise<boolean> {
  const out = await findMove(database.main.reader, 'out')
  if (!out) return false
  await endMove(database.main.writer, 'out')
  return true
}

/** Refuses what would lose something, then announces the move. */
async function begin({ source, target, newId, now }: Deps) {
  const known = await findMove(source.database.main.reader, 'out')
  if (known && known.peer !== target.name) {
    throw new OperatorError(
      `This installation is being moved to ${known.peer}. Go on with that, or give it up with "entrepot move --cancel".`,
    )
  }
  const incoming = await findMove(target.database.main.reader, 'in').catch(() => undefined)
  const isOurs = incoming !== undefined && incoming.id === known?.id
  if (known?.state === 'moved' && !incoming) {
    throw new OperatorError(
      `All of this installation is in ${target.name} already: start with that.`,
    )
  }
  if (!isOurs && (incoming || !(await isEmpty(target.database)))) {
    throw new OperatorError(`${target.name} is not empty. Name an empty database to move into.`)
  }
  const fresh: Move = {
    ...{ direction: 'out', id: newId(), state: 'copying', peer: target.name },
    startedAtMs: now(),
  }
  const out = known ?? fresh
  if (!known) await saveMove(source.database.main.writer, out)
  return { out, isFinished: out.state === 'moved' }
}

async function copyFiles(from: Files, to: Files, progress: Deps['progress']) {
  const there = new Map<string, number>()
  for await (const { path, bytes } of to.listKept()) there.set(path, bytes)
  let count = 0
  for await (const { path, bytes, read } of from.list()) {
    // Files never change under their names, and are there whole or not at all.
    if (there.get(path) !== bytes) await to.write(path, read())
    if (++count % 100 === 0) progress(`files: ${count}`)
  }
}

async function withSnapshot<T>({ at }: Place, work: (snapshot: Snapshot) => Promise<T>) {
  const snapshot = await openSnapshot(at)
  try {
    return await work(snapshot)
  } finally {
    await snapshot.close()
  }
}

function filesOf({ at }: Place) {
  return 'files' in at ? at.files : null
}
