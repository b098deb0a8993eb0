import type { MediaFile } from '#content'
import { toKilobytes } from '#content-media'
import { renderTime } from '#kernel'
import type { Picked } from '../query/picked.ts'
import type { Member } from '../schema/meaning.ts'
import { globalId } from '../target.ts'
import { missing, type Write, type WrittenMember, within, writeObject } from './writing.ts'

/** Media files, which are the same for every caller. */
export function compileFile(picked: readonly Picked[]): Write<MediaFile> {
  return writeObject(picked.map(compile))
}

function compile(picked: Picked): WrittenMember<MediaFile> {
  const { key, name, parent, meaning, isSure, of } = picked
  switch (meaning?.of) {
    case 'self':
      return { key, isSure, write: within(key, compileFile(of())) }
    case 'member':
      return { key, isSure, write: memberOf(meaning.name) }
    case 'fileMember': {
      const read = fileMember(meaning.name)
      const write: Write<MediaFile> = (file, to) => {
        const value = read(file)
        if (value !== null && value !== undefined) return JSON.stringify(value)
        return isSure ? missing(`${parent}.${name}`, key, to) : null
      }
      return { key, isSure, write }
    }
    default:
      if (name === '__typename') return { key, isSure, write: () => JSON.stringify(parent) }
      throw new Error(`a file has no ${parent}.${name}`)
  }
}

function memberOf(name: Member): Write<MediaFile> {
  switch (name) {
    case 'globalId':
      return ({ id }) => `"${globalId('files', id)}"`
    case 'databaseId':
      return ({ id }) => String(id)
    case 'documentId':
      return ({ uuid }) => `"${uuid}"`
    default:
      return ({ id }) => `"${id}"`
  }
}

function fileMember(name: string): (file: MediaFile) => unknown {
  switch (name) {
    case 'size':
      return ({ sizeBytes }) => toKilobytes(sizeBytes)
    case 'createdAt':
      return ({ createdAtMs }) => renderTime(createdAtMs)
    case 'updatedAt':
      return ({ updatedAtMs }) => renderTime(updatedAtMs)
    default:
      return (file) => Object.entries(file).find(([own]) => own === name)?.[1]
  }
}
