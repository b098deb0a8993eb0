import { OperatorError } from '#kernel'
import type { Output } from '../command.ts'
import { messageOf, type Peer } from './http.ts'
import { idOf } from './ids.ts'
import type { Reader } from './read.ts'
import type { Json } from './schema.ts'
import type { Tally } from './tally.ts'

const AT_ONCE = 4

interface Deps {
  readonly source: Peer
  readonly target: Peer
  readonly reader: Reader
  readonly tally: Tally
  readonly output: Output
}

/** Brings over every file that is not here yet. */
export async function importFiles({ source, target, reader, tally, output }: Deps): Promise<void> {
  const counts = { brought: 0, there: 0 }
  for await (const page of reader.files()) {
    for (let at = 0; at < page.length; at += AT_ONCE) {
      await Promise.all(page.slice(at, at + AT_ONCE).map(bring))
      output.progress?.(`files: ${counts.brought + counts.there}`)
    }
  }
  output.progress?.('')
  output.out(`files: ${counts.brought} brought over, ${counts.there} there already`)

  async function bring(file: Json): Promise<void> {
    const documentId = String(file['documentId'] ?? file['hash'])
    const uuid = idOf(documentId)
    const found = await target.get(`/api/v1/media/${uuid}`)
    if (found.status === 200) {
      counts.there++
      return
    }
    const bytes = await source.bytes(String(file['url']))
    if (!bytes) {
      tally.fail(documentId, `file ${file['name']}: ${file['url']} cannot be fetched`)
      return
    }
    const answer = await target.send('POST', '/api/v1/media', formOf(file, uuid, bytes))
    // Answered with a conflict: a try before this one was carried out, though its answer was lost.
    if (answer.status === 201 || answer.status === 409) counts.brought++
    else if (answer.status === 401 || answer.status === 403) {
      throw new OperatorError(`${target.url} ${messageOf(answer)}: use a key of level admin`)
    } else tally.fail(documentId, `file ${file['name']}: ${messageOf(answer)}`)
  }
}

/** The fields come before the file, as forms are read in their order. */
function formOf(file: Json, uuid: string, bytes: Blob): FormData {
  const form = new FormData()
  form.set('uuid', uuid)
  const { name, alternativeText, caption, folderPath } = file
  if (typeof name === 'string') form.set('name', name)
  if (typeof alternativeText === 'string') form.set('alternative_text', alternativeText)
  if (typeof caption === 'string') form.set('caption', caption)
  if (typeof folderPath === 'string' && folderPath.startsWith('/')) form.set('folder', folderPath)
  form.set('file', bytes, String(name))
  return form
}
