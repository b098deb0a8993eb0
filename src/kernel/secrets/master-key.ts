import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely, RawBuilder } from 'kysely'
import type { Store, Tx } from '../db/database.ts'
import type { SqlDialect } from '../db/dialect.ts'
import { OperatorError } from '../errors.ts'
import type { Random } from '../random.ts'
import { KEY_BYTES, type SecretBox } from './secret-box.ts'

export interface MasterKeySettings {
  readonly dataDir: string
  /** `ENTREPOT_MASTER_KEY`: 32 bytes as base64 or hex; the file is then not looked at. */
  readonly fromEnvironment?: string | undefined
  /** `ENTREPOT_MASTER_KEY_PREVIOUS`, the same way. */
  readonly previous?: string | undefined
  readonly random: Random
}

export interface MasterKeys {
  readonly current: Buffer
  readonly previous?: Buffer
}

/**
 * The key that seals stored secrets: the given one, else that of `<dataDir>/master.key`, which is
 * made at the first start. Of several first starts at once all end with the same key.
 */
export async function loadMasterKey(settings: MasterKeySettings): Promise<MasterKeys> {
  const { dataDir, fromEnvironment, previous, random } = settings
  const current = fromEnvironment
    ? parseKey(fromEnvironment, 'The master key')
    : await loadFile(dataDir, random)
  if (!previous) return { current }
  return { current, previous: parseKey(previous, 'The previous master key') }
}

async function loadFile(dataDir: string, random: Random): Promise<Buffer> {
  const path = join(dataDir, 'master.key')
  try {
    if (!(await exists(path))) await createFile(dataDir, path, random)
    await refuseForeignEyes(path)
    return parseKey(await readFile(path, 'utf8'), `The key file ${path}`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The key file ${path} cannot be used: ${String(error)}`, error)
  }
}

/**
 * Written aside and linked to its name: nobody can see half a key, and a link never replaces the
 * key that another start was quicker to make.
 */
async function createFile(dataDir: string, path: string, random: Random): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const aside = `${path}.${random.text(12)}`
  const file = await open(aside, 'wx', 0o600)
  try {
    await file.writeFile(`${random.bytes(KEY_BYTES).toString('base64')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(aside, path)
    await syncDirectory(dataDir)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await unlink(aside)
  }
}

/** Without it a power cut could lose the key but keep what it sealed. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

async function refuseForeignEyes(path: string): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new OperatorError(`The key file ${path} is open to other users: run chmod 600 ${path}`)
  }
}

function parseKey(text: string, what: string): Buffer {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  if (/^[\w+/-]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64')
  throw new OperatorError(
    `${what} must be ${KEY_BYTES} bytes as base64 or hex, for example of: openssl rand -base64 32`,
  )
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

interface VerifyDeps {
  readonly store: Store
  readonly dialect: SqlDialect
  readonly box: SecretBox
}

interface Tables {
  kernel_settings: {
    area: string
    name: string
    value: string
    updated_at: number | RawBuilder<number>
  }
}

const CHECK = { area: 'kernel', name: 'master_key_check' } as const
const CHECK_TEXT = 'entrepot'

/**
 * Every node must hold the key that sealed what is stored: a second node with a key file of its own
 * would write secrets that the first cannot read. Refused before anything is written.
 */
export async function verifyMasterKey({ store, dialect, box }: VerifyDeps): Promise<void> {
  await store.transaction(undefined, async (tx) => {
    const trx = tx.as<Tables>()
    await trx
      .insertInto('kernel_settings')
      .values({ ...CHECK, value: box.seal(CHECK_TEXT), updated_at: dialect.nowMs() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { value } = await trx
      .selectFrom('kernel_settings')
      .select('value')
      .where('area', '=', CHECK.area)
      .where('name', '=', CHECK.name)
      .executeTakeFirstOrThrow()
    refuseForeignKey(box, value)
    if (!box.needsReseal(value)) return
    await trx
      .updateTable('kernel_settings')
      .set({ value: box.seal(CHECK_TEXT) })
      .where('area', '=', CHECK.area)
      .where('name', '=', CHECK.name)
      .execute()
  })
}

/** Whether what is stored was sealed with this key; true where nothing is stored yet. */
export async function isMasterKeyKnown({
  store,
  box,
}: Pick<VerifyDeps, 'store' | 'box'>): Promise<boolean> {
  const reader: Kysely<Tables> = store.reader
  const row = await reader
    .selectFrom('kernel_settings')
    .select('value')
    .where('area', '=', CHECK.area)
    .where('name', '=', CHECK.name)
    .executeTakeFirst()
  try {
    if (row) refuseForeignKey(box, row.value)
    return true
  } catch {
    return false
  }
}

/** From now on the current key is the one that every node has to hold. */
export async function saveKeyCheck(
  tx: Tx,
  { box, dialect }: Pick<VerifyDeps, 'box' | 'dialect'>,
): Promise<void> {
  const checked = { value: box.seal(CHECK_TEXT), updated_at: dialect.nowMs() }
  await tx
    .as<Tables>()
    .insertInto('kernel_settings')
    .values({ ...CHECK, ...checked })
    .onConflict((conflict) => conflict.columns(['area', 'name']).doUpdateSet(checked))
    .execute()
}

function refuseForeignKey(box: SecretBox, sealed: string): void {
  try {
    box.open(sealed)
  } catch (error) {
    throw new OperatorError(
      'The secrets in the database are sealed with another master key. Set ENTREPOT_MASTER_KEY to the key of the other nodes, or copy their master.key into the data directory; after a change of the key set ENTREPOT_MASTER_KEY_PREVIOUS to the old one. When that key is lost, run "entrepot secrets reset": it makes anew what can be made and lists what you have to enter again.',
      error,
    )
  }
}
