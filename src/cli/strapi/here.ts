import { isObject, OperatorError } from '#kernel'
import { messageOf, type Peer } from './http.ts'
import type { PairedType } from './pairing.ts'
import { type ImportRecord, NOT_WHOLE, timesOf } from './records.ts'

const PAGE = 100
/** One request takes so many records, and so many bytes of them. */
const MOST_RECORDS = 100
const MOST_BYTES = 4 * 1024 * 1024

/** What is here of a type in a language, by document id. */
export type Known = ReadonlyMap<string, Times>

interface Times {
  readonly updated: string
  readonly published: string | undefined
}

/** Entries here, as the import needs to know and to write them. */
export function createHere(target: Peer) {
  return { known, put }

  async function known(type: PairedType, locale: string | null): Promise<Known> {
    const found = new Map<string, Times>()
    const fields = ['document_id', 'updated_at', ...(type.hasDrafts ? ['published_at'] : [])]
    const asked = [
      ...(type.hasDrafts ? ['status=all'] : []),
      ...(locale === null ? [] : [`locale=${locale}`]),
    ]
    if (type.isSingle) {
      const answer = await target.get(`/api/v1/${type.singularName}?${asked.join('&')}`)
      if (answer.status === 404) return found
      note(isObject(answer.body) ? answer.body['data'] : undefined)
      return found
    }
    for (let after = 0; ; ) {
      const paging = [`fields=id,${fields}`, `after_id=${after}`, `limit=${PAGE}`]
      const path = `/api/v1/${type.pluralName}?${[...asked, ...paging].join('&')}`
      const answer = await target.get(path)
      const data = isObject(answer.body) ? answer.body['data'] : undefined
      if (!Array.isArray(data))
        throw new OperatorError(`${target.url}${path}: ${messageOf(answer)}`)
      for (const each of data) note(each)
      if (data.length < PAGE) return found
      after = Number(data.at(-1)?.id)
    }

    function note(record: unknown) {
      if (!isObject(record)) return
      const { document_id, updated_at, published_at } = record
      const published = typeof published_at === 'string' ? published_at : undefined
      found.set(String(document_id), { updated: String(updated_at), published })
    }
  }

  /** Tells of each that is refused why. */
  async function put(
    type: PairedType,
    records: readonly ImportRecord[],
    onRefused: (record: ImportRecord, message: string) => void,
  ): Promise<void> {
    for (const some of batchesOf(records)) {
      const path = `/api/v1/content-types/${type.singularName}/import`
      const answer = await target.send('POST', path, { records: some })
      const data = isObject(answer.body) ? answer.body['data'] : undefined
      if (!Array.isArray(data))
        throw new OperatorError(`${target.url}${path}: ${messageOf(answer)}`)
      for (const { index, status, error } of data) {
        const record = some[index]
        if (status >= 400 && record) onRefused(record, reasonOf(error, status))
      }
    }
  }
}

export type Here = ReturnType<typeof createHere>

/** What is to be done with a record, given what is here. */
export function stateOf(
  record: ImportRecord,
  times: Times | undefined,
): 'write' | 'there' | 'newer' {
  if (times === undefined || times.updated === NOT_WHOLE) return 'write'
  const { updated = '', published } = timesOf(record)
  if (times.updated === updated && times.published === published) return 'there'
  return times.updated > updated ? 'newer' : 'write'
}

function* batchesOf(records: readonly ImportRecord[]): Generator<readonly ImportRecord[]> {
  let some: ImportRecord[] = []
  let bytes = 0
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record)) + 1
    if (some.length > 0 && (some.length === MOST_RECORDS || bytes + size > MOST_BYTES)) {
      yield some
      some = []
      bytes = 0
    }
    some.push(record)
    bytes += size
  }
  if (some.length > 0) yield some
}

function reasonOf(error: unknown, status: number): string {
  if (!isObject(error)) return `refused with ${status}`
  const details = Array.isArray(error['details']) ? error['details'].filter(isObject) : []
  const messages = details.map(({ message }) => String(message))
  return messages.length > 0 ? messages.join('; ') : String(error['message'] ?? status)
}
