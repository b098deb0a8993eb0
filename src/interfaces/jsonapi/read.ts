import type { Entry, Read } from '#content'
import { entryTag } from '#content-dialect'
import { typesOf } from '#content-query'
import type { JsonApiDeps } from './deps.ts'
import {
  includesOf,
  type ParsedEntries,
  parseEntries,
  parseShowing,
  questionOf,
} from './query/parse.ts'
import { createFiles } from './read/files.ts'
import { createFinder, fixed } from './read/find.ts'
import { createLists } from './read/lists.ts'
import type { UserDirectory } from './read/users.ts'
import { isUserShown, renderMany, renderOne, viewOf } from './render/document.ts'
import type { Asked } from './request.ts'
import type { EntryResource, Resource } from './target/catalogue.ts'

export type ReadDeps = JsonApiDeps & { readonly directory: UserDirectory }

/** With the types its answer is made from; null: of more than these. */
interface ReadEntries extends ParsedEntries, Pick<Read, 'typeNos'> {}

/** Collections and single resources (contract §4). */
export function createReading(deps: ReadDeps) {
  const { content, directory } = deps
  const finder = createFinder(content)
  const files = createFiles(deps)
  const lists = createLists(deps)
  const prepare = content.entryTemplates<ReadEntries>()
  return { collection, individual, answerEntry }

  function collection(asked: Asked, resource: Resource): Promise<Read> {
    switch (resource.kind) {
      case 'entry':
        return entries(asked, resource)
      case 'media':
      case 'file':
        return files.list(asked, resource)
      default:
        return lists.list(asked, resource)
    }
  }

  async function entries(asked: Asked, resource: EntryResource): Promise<Read> {
    const { type } = resource
    const question = await questionOf(asked, String(type.no), directory, (own): ReadEntries => {
      const parsed = parseEntries(own, resource)
      const typeNos = isUserShown(parsed.showing)
        ? null
        : typesOf(own.catalogue.model, parsed.query)
      return { ...parsed, typeNos }
    })
    const prepared = prepare(asked.viewer, question)
    const { showing, page, typeNos } = prepared.read
    const found = await content.readEntries(prepared)
    const about = { page: page.of(prepared.values), total: found.total ?? 0 }
    const view = viewOf(asked, showing, await directory.ofEntries(found.entries))
    return { text: renderMany(asked, view, showing, found.entries, about), typeNos }
  }

  function individual(asked: Asked, resource: Resource, id: string): Promise<Read> {
    switch (resource.kind) {
      case 'entry':
        return one(asked, resource, id)
      case 'media':
      case 'file':
        return files.one(asked, resource, id)
      default:
        return lists.one(asked, resource, id)
    }
  }

  async function one(asked: Asked, resource: EntryResource, id: string): Promise<Read> {
    const showing = parseShowing(asked, resource)
    const include = includesOf(asked, resource, showing)
    const { entry, state } = await finder.get(asked, resource, id, fixed(include))
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
