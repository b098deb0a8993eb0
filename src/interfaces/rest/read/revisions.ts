import { behind, includeOf, zoneInclude } from '#content-dialect'
import { type FieldSet, isScalar } from '#content-model'
import type { Include } from '#content-query'
import { notFound } from '#kernel'
import type { RestDeps } from '../deps.ts'
import { visibleAttributes } from '../query/members.ts'
import { renderMisfit, renderRevision, renderWholeRevision } from '../render/revision.ts'
import { type Asked, reportIgnored, sendJson } from '../request.ts'
import type { Address, AddressedRevision } from '../target.ts'
import { createFinder } from './find.ts'

/** Components inside components; a definition that contained itself would never end. */
const MAX_NESTING = 8

/** What a record said before (console contract §4). */
export function createRevisionReading({ content }: Pick<RestDeps, 'content'>) {
  const finder = createFinder(content)
  return { list, one }

  async function list(asked: Asked, address: Address) {
    const { id } = await current(asked, address)
    const data = (await content.revisions.list(asked.resource.type, id)).map(renderRevision)
    return { data, meta: { total: data.length } }
  }

  async function one(asked: Asked, { address, revisionId }: AddressedRevision): Promise<string> {
    const { id } = await current(asked, address)
    const { type, version } = asked.resource
    const include = referencesOf(type, 0)
    const target = { id, revisionId }
    const found = await content.revisions.get(asked.viewer, type, target, include)
    const view = { version, state: 'working', fields: null } as const
    const data = renderWholeRevision(found.revision, found.entry, view)
    const meta = { warnings: found.warnings.map(renderMisfit) }
    return sendJson(asked.reply, `{"data":${data},"meta":${JSON.stringify(meta)}}`)
  }

  async function current(asked: Asked, address: Address) {
    reportIgnored(asked, ['locale'])
    const entry = await finder.current(asked, address)
    if (!entry) throw notFound()
    return entry
  }

  /** Everything that a revision says, with the ids of what it refers to. */
  function referencesOf(set: FieldSet, nesting: number): Include[] {
    if (nesting > MAX_NESTING) return []
    return visibleAttributes(set).flatMap((attribute) => {
      if (isScalar(attribute)) return []
      if (attribute.type === 'relation' && attribute.side === 'inverse') return []
      const model = content.model()
      if (attribute.type === 'dynamiczone') {
        return [zoneInclude(model, attribute, (component) => referencesOf(component, nesting + 1))]
      }
      const target = behind(model, attribute)
      const isPart = attribute.type === 'component' && typeof target === 'object'
      const include = isPart ? referencesOf(target, nesting + 1) : []
      return [includeOf(attribute.name, { include, depth: isPart ? 'entries' : 'ids' })]
    })
  }
}
