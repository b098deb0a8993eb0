import { compare, includeOf, zoneInclude } from '#content-dialect'
import type { Attribute, ContentModel, FieldSet } from '#content-model'
import type { CopyState, Filter, Include } from '#content-query'
import type { DeliverySettings } from '../deps.ts'
import { queryFault } from '../errors.ts'
import { namesOf } from '../render/view.ts'
import type { Delivered } from '../target.ts'
import { type Selection, select } from './selection.ts'

/** What `expand` and `fields` say of one level; undefined: nothing, so none or all. */
export interface Showing {
  readonly expand: Selection | undefined
  readonly fields: Selection | undefined
}

export const PLAIN: Showing = { expand: undefined, fields: undefined }

/** Each of them is a statement: `$all` in `$all` grows with every level. */
const MOST_INCLUDES = 300
const DEEPEST_COMPONENT = 8

const BELOW_LIVE = compare('@ancestorsLive', 'eq', true)

/** What stands below something unpublished is not delivered, however it is reached (contract §3). */
export function delivering(state: CopyState): Filter | null {
  return state === 'live' ? BELOW_LIVE : null
}

interface Rules {
  readonly model: ContentModel
  readonly delivered: Delivered
  readonly settings: DeliverySettings
  readonly state: CopyState
  /** As it was written, for the fault. */
  readonly expand: string
}

/** Undefined when the property is not shown; `isExpanded` when what it refers to is shown whole. */
export function below(showing: Showing, name: string) {
  const fields = showing.fields && select(showing.fields, name)
  if (showing.fields && !fields) return undefined
  const expand = showing.expand && select(showing.expand, name)
  return {
    isExpanded: expand !== undefined,
    showing: { expand: inner(expand), fields: inner(fields) },
  }
}

function inner(selection: Selection | undefined): Selection | undefined {
  return selection?.isLeaf ? undefined : selection
}

/** What has to be loaded with entries of a type to show them so. */
export function includesFor(rules: Rules, set: FieldSet, showing: Showing): readonly Include[] {
  let left = MOST_INCLUDES
  return ofSet(set, showing, 0)

  function ofSet(own: FieldSet, shown: Showing, parts: number): readonly Include[] {
    return namesOf(own).properties.flatMap(({ attribute }) => {
      const found = below(shown, attribute.name)
      return found ? ofAttribute(attribute, found, parts) : []
    })
  }

  function ofAttribute(
    attribute: Attribute,
    { isExpanded, showing: next }: NonNullable<ReturnType<typeof below>>,
    parts: number,
  ): readonly Include[] {
    const { name } = attribute
    if (attribute.type === 'media') {
      const isWhole = isExpanded || rules.settings.unexpandedMedia === 'summary'
      return [count(includeOf(name, { depth: isWhole ? 'entries' : 'ids' }))]
    }
    if (attribute.type === 'component') {
      const component = rules.model.findComponent(attribute.component)
      if (!component || parts >= DEEPEST_COMPONENT) return []
      return [count(includeOf(name, { include: ofSet(component, next, parts + 1) }))]
    }
    if (attribute.type === 'dynamiczone') {
      return [count(zoneInclude(rules.model, attribute, (each) => ofSet(each, next, parts + 1)))]
    }
    if (attribute.type !== 'relation') return []
    const target = rules.delivered.findType(attribute.target)
    if (!target) return []
    const include = isExpanded ? ofSet(target, next, 0) : []
    return [count(includeOf(name, { filter: delivering(rules.state), include }))]
  }

  function count(include: Include): Include {
    if (--left >= 0) return include
    const from = { param: 'expand', value: rules.expand }
    const message = `This expands more than ${MOST_INCLUDES} relations`
    throw queryFault('Expand not valid', from, 0, message)
  }
}
