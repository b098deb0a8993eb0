import type { Read } from '#content'
import { isOneOf } from '#content-dialect'
import type { MediaFolder, MediaItem, MediaPage, MediaQuery } from '#content-media'
import { firstPage, type Slots } from '#content-query'
import type { DeliveryDeps } from '../deps.ts'
import { notDelivered, validationFault } from '../errors.ts'
import { type FilterExpression, parseFilterTexts, splitFilters } from '../query/filter-syntax.ts'
import { parseMediaFilter, parseMediaSort } from '../query/media.ts'
import { parseFetch, parsePage, valuesOf } from '../query/parameters.ts'
import { renderMediaItem } from '../render/media.ts'
import type { Asked } from '../request.ts'
import { parseUuid } from '../target.ts'

const MAX_IDS = 200

/** The media endpoints (contract §7). Uploads change no type, so their answers are not kept. */
export function createMediaReads({ content }: Pick<DeliveryDeps, 'content'>) {
  const prepareIds = content.fileTemplates()
  return { listAll, items, byId, byPath }

  async function listAll(asked: Asked): Promise<Read> {
    const { parameters, settings, caller } = asked
    const page = parsePage(parameters, settings.maxTake)
    const expressions = parseFilterTexts(valuesOf(parameters, 'filter'))
    const sorting = valuesOf(parameters, 'sort')
    const toQuery = (asking: readonly FilterExpression[]): MediaQuery => {
      return { ...parseMediaFilter(asking), sort: parseMediaSort(sorting) }
    }
    toQuery(expressions)
    const within = await folderOf(asked)
    const piece = { hasFolders: within !== null, start: page.skip, limit: page.take }
    const split = splitFilters(expressions)
    const question = {
      ...{ model: asked.model, values: split.values },
      template: `${split.template} ${JSON.stringify(sorting.map(({ value }) => value))}`,
      read: (slots: Slots) => toQuery(split.read(slots, 0)),
    }
    const found =
      within === undefined
        ? { items: [], total: 0 }
        : await content.findMedia(caller.viewer, question, { ...piece, within })
    const shown = found.items.map((item) => renderMediaItem(item, asked.showing.fields))
    const text = `{"total":${found.total},"items":[${shown.join(',')}]}`
    const headers: Record<string, string> = page.isReduced
      ? { 'x-max-take': String(settings.maxTake) }
      : {}
    return { text, typeNos: null, headers }
  }

  /** Null: everywhere, files only. Undefined: the folder does not exist. */
  async function folderOf(asked: Asked): Promise<MediaPage['within'] | undefined> {
    const fetch = parseFetch(valuesOf(asked.parameters, 'fetch'), ['children', 'descendants'])
    if (!fetch) return null
    const deep = fetch.selector === 'descendants'
    if (fetch.target.replaceAll('/', '') === '') return { path: '/', deep }
    const item = await findItem(asked, fetch.target)
    return item?.kind === 'folder' ? { path: item.folder.path, deep } : undefined
  }

  function findItem(asked: Asked, target: string): Promise<MediaItem | undefined> {
    const id = parseUuid(target)
    const { viewer } = asked.caller
    return id === undefined
      ? content.findMediaPath(viewer, target.normalize('NFC'))
      : findId(asked, id)
  }

  async function findId(asked: Asked, id: string): Promise<MediaItem | undefined> {
    return (await findIds(asked, [id]))[0]
  }

  async function items(asked: Asked): Promise<Read> {
    const given = valuesOf(asked.parameters, 'id')
    if (given.length > MAX_IDS) throw validationFault('id', `At most ${MAX_IDS} ids are taken.`)
    const ids = [...new Set(given.flatMap(({ value }) => parseUuid(value.trim()) ?? []))]
    const found = await findIds(asked, ids)
    const shown = found.map((item) => renderMediaItem(item, asked.showing.fields))
    return { text: `[${shown.join(',')}]`, typeNos: null }
  }

  /** Files and folders, in the order of the ids. */
  async function findIds({ caller }: Asked, ids: readonly string[]): Promise<readonly MediaItem[]> {
    if (ids.length === 0) return []
    const prepared = prepareIds(caller.viewer, {
      ...{ model: content.model(), template: 'ids', values: [ids] },
      read: ({ list }) => ({
        query: {
          filter: isOneOf('uuid', list(0)),
          ...{ search: '', sort: [], page: firstPage(MAX_IDS) },
        },
      }),
    })
    const { files } = await content.readFiles(prepared)
    const byId = new Map<string, MediaItem>(
      files.map((file) => [file.uuid, { kind: 'file', file }]),
    )
    const folders = byId.size < ids.length ? await content.findFolders(caller.viewer) : []
    for (const folder of folders) byId.set(folder.id, toItem(folder))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  async function byId(asked: Asked, id: string): Promise<Read> {
    return one(asked, await findId(asked, id))
  }

  async function byPath(asked: Asked, path: string): Promise<Read> {
    const found = path === '' ? undefined : await content.findMediaPath(asked.caller.viewer, path)
    return one(asked, found)
  }

  function one(asked: Asked, item: MediaItem | undefined): Read {
    if (!item) throw notDelivered()
    return { text: renderMediaItem(item, asked.showing.fields), typeNos: null }
  }
}

function toItem(folder: MediaFolder): MediaItem {
  return { kind: 'folder', folder }
}
