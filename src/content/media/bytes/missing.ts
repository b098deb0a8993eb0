import type { Kysely } from 'kysely'
import type { ContentTables } from '../../tables.ts'
import { heldOf } from './chunks.ts'
import { createDirectoryBytes } from './directory.ts'
import type { BytesDeps } from './file-bytes.ts'
import { storedName } from './names.ts'

const FILES_AT_ONCE = 500

/**
 * Names of files whose bytes this machine cannot read. With several nodes they may lie in the directory of another
 * one, which gives them to the database when it is started.
 */
export async function* missingBytes({ db, directory }: Pick<BytesDeps, 'db' | 'directory'>) {
  const reader: Kysely<ContentTables> = db.main.reader
  const local = createDirectoryBytes(directory)
  for (let lastId = 0; ; ) {
    const files = await reader
      .selectFrom('content_files')
      .select(['id', 'hash', 'ext'])
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(FILES_AT_ONCE)
      .execute()
    const names = files.map(storedName)
    const held = db.dialect.singleProcess ? new Set() : await heldOf(reader, names)
    for (const name of names) if (!held.has(name) && !(await local.open(name))) yield name
    lastId = files.at(-1)?.id ?? 0
    if (files.length < FILES_AT_ONCE) return
  }
}
