import { createHash } from 'node:crypto'
import { compareBytes } from '#kernel'
import { fold } from '../fold.ts'
import type { MediaFolder } from './words.ts'

/** Files of one folder, as they spell it. */
export interface FolderRow {
  readonly folder: string
  readonly created_at: number
  readonly updated_at: number
}

/** `/photos//2026/` and `/photos/2026` are one folder. */
export function folderPath(spelling: string): string {
  return `/${stepsOf(spelling).join('/')}`
}

function stepsOf(path: string): string[] {
  return path.split('/').filter((step) => step !== '')
}

/** Which id the folder at a path has. */
export type FolderIds = (path: string) => string

/** The folders that files lie in and those above them, parents first. */
export function foldersOf(rows: readonly FolderRow[], idOf: FolderIds): readonly MediaFolder[] {
  const folders = new Map<string, MediaFolder>()
  for (const row of rows) {
    const steps = stepsOf(row.folder)
    steps.forEach((name, at) => {
      const path = `/${steps.slice(0, at + 1).join('/')}`
      const known = folders.get(path) ?? { id: idOf(path), path, name }
      folders.set(path, joined(known, row))
    })
  }
  return [...folders.values()].sort((one, other) => compareBytes(one.path, other.path))
}

function joined(
  known: Omit<MediaFolder, 'createdAtMs' | 'updatedAtMs'> & Partial<MediaFolder>,
  { created_at, updated_at }: FolderRow,
): MediaFolder {
  return {
    ...known,
    createdAtMs: Math.min(created_at, known.createdAtMs ?? created_at),
    updatedAtMs: Math.max(updated_at, known.updatedAtMs ?? updated_at),
  }
}

/** UUID version 8 (RFC 9562) of the path; another one for what comes after a folder that moved away. */
export function folderId(path: string, movedAway = 0): string {
  const after = movedAway === 0 ? '' : ` after ${movedAway}`
  const bytes = createHash('sha256').update(`media folder ${path}${after}`).digest()
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-')
}

/** Whether a folder, or what lies in one, is inside `path`: directly, or with `deep` anywhere below. */
export function isInside(path: string, within: { readonly path: string; readonly deep: boolean }) {
  const top = within.path === '/' ? '/' : `${within.path}/`
  const rest = path.startsWith(top) ? path.slice(top.length) : ''
  return rest !== '' && (within.deep || !rest.includes('/'))
}

/** Parent and name of what a path names, without regard to case; undefined for the top itself. */
export function parseMediaPath(path: string): { parent: string; name: string } | undefined {
  const steps = stepsOf(fold(path))
  const name = steps.pop()
  return name === undefined ? undefined : { parent: `/${steps.join('/')}`, name }
}
