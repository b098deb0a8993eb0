import { type ContentModel, type Entry, type PageText, type Read, typesOf } from '#content'
import { createParsed } from '#kernel'
import type { EntryResource, Resource } from '../catalogue.ts'
import type { JsonApiDeps } from '../deps.ts'
import { includesOf, type ParsedEntries, parseEntries, parseShowing } from '../query.ts'
import { pageText } from '../render.ts'
import type { Asked } from '../request.ts'
import type { UserDirectory } from '../users.ts'
import { createFiles } from './files.ts'
import { createFinder } from './find.ts'
import { createKept } from './kept.ts'
import { createLists } from './lists.ts'
import { entryTag, isUserShown, renderMany, renderOne, renderTold, viewOf } from './sending.ts'

/** What decides how entries are shown. */
const SHOWING: ReadonlySet<string> = new Set(['include', 'fields'])

export type ReadDeps = JsonApiDeps & { readonly directory: UserDirectory }

/** With the types its answer is made from; null: of more than these. */
interface AskedEntries extends ParsedEntries, Pick<Read, 'typeNos'> {}

/** Collections and single resources (contract §4). */
export function createReading(deps: ReadDeps) {
  const { content, directory } = deps
  const finder = createFinder(content)
  const kept = createKept({ ...deps, users: directory })
  const files = createFiles(deps)
  const lists = createLists(deps)
  const known = createParsed<ContentModel, AskedEntries>()
  const texts = createParsed<ContentModel, { readonly text: PageText | undefined }>()
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
    const parsed = await parsedOnce(asked, resource)
    const { query, showing, page, typeNos } = parsed
    const found = await content.find(asked.viewer, query, textFor(asked, resource, parsed))
    const about = { page, total: found.total ?? 0 }
    if (found.text !== null) return { text: renderTold(asked, showing, found, about), typeNos }
    const view = viewOf(asked, showing, await directory.ofEntries(found.entries))
    return { text: renderMany(asked, view, showing, found.entries, about), typeNos }
  }

  /** The text of a page is the same for all that differ in their entries alone. */
  function textFor(
    asked: Asked,
    { type }: EntryResource,
    { showing, query }: ParsedEntries,
  ): PageText | undefined {
    if (query.state !== 'live') return undefined
    const { catalogue, viewer, parameters, base } = asked
    const shown = parameters.filter((each) => SHOWING.has(each.base))
    const how = JSON.stringify(shown.map(({ name, value }) => [name, value]))
    const key = `${type.no} ${viewer.level} ${directory.learnt()} ${base} ${how}`
    const found = texts.find(catalogue.model, key)
    if (found) return found.text
    const view = viewOf(asked, showing, directory.remembered())
    const text = pageText(type, view, showing.include) ?? undefined
    return texts.keep(catalogue.model, key, { text }).text
  }

  /** Queries asked again are parsed once, so that the store knows them again too. */
  async function parsedOnce(asked: Asked, resource: EntryResource): Promise<AskedEntries> {
    const { catalogue, locale, query } = asked
    const { model } = catalogue
    // A condition may name accounts, which are looked up while it is parsed.
    const key = `${resource.type.no} ${locale} ${directory.revision()} ${query}`
    const found = known.find(model, key)
    if (found) return found
    const parsed = await parseEntries(asked, resource, directory)
    const typeNos = isUserShown(parsed.showing) ? null : typesOf(model, parsed.query)
    return known.keep(model, key, { ...parsed, typeNos })
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
