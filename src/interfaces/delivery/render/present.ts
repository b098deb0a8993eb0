import { type Entry, type Included, type Part, type Route, wireKindOf } from '#content'
import { type Attribute, type FieldSet, isScalar } from '#content-model'
import type { DeliveryDeps } from '../deps.ts'
import type { Asked } from '../request.ts'
import { findDestinations, NOWHERE, type Wanted } from './destinations.ts'
import { renderItem, richTextOf } from './item.ts'
import { toLink } from './links.ts'
import { createRichTexts, type RichTexts } from './rich-text.ts'
import { createCount, namesOf, type View } from './view.ts'

/** Items as JSON, and whether anything but entries decided how they look. */
export interface Presented {
  readonly items: readonly string[]
  /** Links in them may lead to entries of any type. */
  readonly hasLinks: boolean
  readonly hasFiles: boolean
}

/** Turns entries into items: their routes and where their links lead are looked up all at once. */
export function createPresenter({ content }: Pick<DeliveryDeps, 'content'>) {
  const prepareFiles = content.fileTemplates()
  return present

  async function present(asked: Asked, entries: readonly Entry[]): Promise<Presented> {
    const owners = ownersIn(entries)
    const all = owners.filter((owner) => 'documentId' in owner)
    const localized = entries.filter(({ type }) => type.localized)
    const richTexts = createRichTexts(asked.settings.richTextOutputAsJson)
    const wanted = wantedBy(owners, richTexts)
    const [routeOf, culturesOf, links] = await Promise.all([
      content.tree.routesOf(all),
      localized.length > 0 ? content.tree.culturesOf(localized) : undefined,
      find(asked, wanted),
    ])
    const view: View = {
      ...{ delivered: asked.delivered, settings: asked.settings, links, richTexts },
      routeOf: (entry) => renderRoute(routeOf(entry), pathIn(asked, entry)),
      culturesOf: (entry) => renderCultures(culturesOf?.(entry)),
      count: createCount(asked.expand),
    }
    return {
      items: entries.map((entry) => renderItem(entry, view, asked.showing)),
      hasLinks: wanted.documentIds.length + wanted.hrefs.length > 0,
      hasFiles: links.hasFiles,
    }
  }

  async function find(asked: Asked, wanted: Wanted) {
    if (wanted.documentIds.length + wanted.hrefs.length === 0) return NOWHERE
    const { caller, tree: view, culture } = asked
    const { viewer } = caller
    const asking = { content, prepareFiles, viewer, view, locale: culture.code }
    return findDestinations(asking, wanted)
  }
}

/** What was never published has no path of its own yet (contract §10). */
function pathIn({ caller }: Asked, { status, documentId }: Entry): string | undefined {
  return caller.isPreview && status === 'draft' ? `/preview-${documentId}/` : undefined
}

function renderRoute({ path, startItem }: Route, instead?: string): string {
  const start = `{"id":"${startItem.id}","path":${JSON.stringify(startItem.path)}}`
  return `{"path":${JSON.stringify(instead ?? path)},"startItem":${start}}`
}

function renderCultures(routes: ReadonlyMap<string, Route> | undefined): string {
  if (!routes) return '{}'
  const members = [...routes].map(
    ([code, route]) => `${JSON.stringify(code)}:${renderRoute(route)}`,
  )
  return `{${members.join(',')}}`
}

type Owner = Entry | Part

/** The entries and components that are shown, at whatever depth. */
function ownersIn(entries: readonly Entry[]): readonly Owner[] {
  const found: Owner[] = []
  for (const entry of entries) gather(entry, found)
  return found
}

function gather(owner: Owner, into: Owner[]): void {
  into.push(owner)
  for (const included of owner.included.values()) {
    for (const inner of ownersOf(included)) gather(inner, into)
  }
}

function ownersOf(included: Included): readonly Owner[] {
  switch (included.kind) {
    case 'entry':
      return included.entry ? [included.entry] : []
    case 'entries':
      return included.entries
    case 'part':
      return included.part ? [included.part] : []
    case 'parts':
    case 'zone':
      return included.parts
    default:
      return []
  }
}

function wantedBy(owners: readonly Owner[], richTexts: RichTexts): Wanted {
  const documentIds: string[] = []
  const hrefs: string[] = []
  for (const owner of owners) {
    const set: FieldSet = 'type' in owner ? owner.type : owner.component
    const { hasLinks, properties } = namesOf(set)
    if (!hasLinks) continue
    for (const { attribute } of properties) add(owner, attribute)
  }
  return { documentIds, hrefs }

  function add(owner: Owner, attribute: Attribute): void {
    if (!isScalar(attribute)) return
    const kind = wireKindOf(attribute)
    const value = owner.values()[attribute.name]
    const isRich = kind === 'markup' || kind === 'blocks'
    const richText = isRich ? richTextOf(owner, attribute, value) : undefined
    if (richText) hrefs.push(...richTexts.hrefsIn(richText))
    const link = kind === 'link' ? toLink(value) : undefined
    if (link?.entry) documentIds.push(link.entry)
    else if (link?.url) hrefs.push(link.url)
  }
}
