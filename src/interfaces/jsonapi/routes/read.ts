import { type Entry, type Read, typesOf } from '#content'
import type { EntryResource, Resource } from '../catalogue.ts'
import type { JsonApiDeps } from '../deps.ts'
import { includesOf, parseEntries, parseShowing } from '../query.ts'
import type { Asked } from '../request.ts'
import type { UserDirectory } from '../users.ts'
import { createFiles } from './files.ts'
import { createFinder } from './find.ts'
import { createKept } from './kept.ts'
import { createLists } from './lists.ts'
import { entryTag, isUserShown, renderMany, renderOne, viewOf } from './sending.ts'

export type ReadDeps = JsonApiDeps & { readonly directory: UserDirectory }

/** Collections and single resources (contract §4). */
export function createReading(deps: ReadDeps) {
  const { content, directory } = deps
  const finder = createFinder(content)
  const kept = createKept({ ...deps, users: directory })
  const files = createFiles(deps)
  const lists = createLists(deps)
  return { collection, individual, answerEntry }

  function collection(asked: Asked, resource: Resource): Promise<Buffer> {
    return kept(asked, () => {
      switch (resource.kind) {
        case 'entry':
          return entries(asked, resource)
        case 'media':
        case 'file':
          return files.list(asked, resource)
        default:
          return lists.list(asked, resource)
      }
    })
  }

  async function entries(asked: Asked, resource: EntryResource): Promise<Read> {
    const { query, showing, page } = await parseEntries(asked, resource, directory)
    const found = await content.find(asked.viewer, query)
    const view = viewOf(asked, showing, await directory.ofEntries(found.entries))
    const total = found.total ?? 0
    const text = renderMany(asked, view, showing, found.entries, { page, total })
    const typeNos = isUserShown(showing) ? null : typesOf(asked.catalogue.model, query)
    return { text, typeNos }
  }

  function individual(asked: Asked, resource: Resource, id: string): Promise<Buffer> {
    return kept(asked, () => {
      switch (resource.kind) {
        case 'entry':
          return one(asked, resource, id)
        case 'media':
        case 'file':
          return files.one(asked, resource, id)
        default:
          return lists.one(asked, resource, id)
      }
    })
  }

  async function one(asked: Asked, resource: EntryResource, id: string): Promise<Read> {
    const showing = parseShowing(asked, resource)
    const include = includesOf(asked, resource, showing)
    const { entry, state } = await finder.get(asked, resource, id, include)
    const text = await answerEntry(asked, resource, entry)
    const query = { type: resource.type, filter: null, include }
    // A draft that is published is another answer to the same question; it is not kept.
    const isKept = state === 'live' && !isUserShown(showing)
    const typeNos = isKept ? typesOf(asked.catalogue.model, query) : null
    return { text, typeNos, headers: { etag: entryTag(entry, text) } }
  }

  /** The document of an entry that was found with what `include` asks for. */
  async function answerEntry(asked: Asked, resource: EntryResource, entry: Entry): Promise<string> {
    const showing = parseShowing(asked, resource)
    const view = viewOf(asked, showing, await directory.ofEntries([entry]))
    return renderOne(asked, view, showing, entry)
  }
}

export type Reading = ReturnType<typeof createReading>
