import { isShown, type Viewer } from '#content'
import { type Attribute, isToMany } from '#content-model'
import { possible } from '../errors.ts'
import { type Catalogue, type EntryResource, FILE_FIELDS } from '../target/catalogue.ts'
import { constant, type Leaf, leafIn, namesIn, plain, type Scope, targetId } from './leaves.ts'

interface Step {
  readonly field: string
  readonly many: boolean
}

export interface Located {
  readonly steps: readonly Step[]
  readonly leaf: Leaf
}

type Unknown = { readonly fault: string }

const DEEPEST = 6
const TARGET_ID = 'meta.drupal_internal__target_id'

/**
 * Where a path of a filter or sort leads (contract §6.1), from entries of a type or from files. What
 * is wrong with it is told as `fault`.
 */
export function locate({ catalogue, viewer, from }: Origin, path: string): Located | Unknown {
  const names = path.split('.').filter((name) => !/^entity(?::.*)?$/.test(name))
  const steps: Step[] = []
  let scope: Scope = typeof from === 'string' ? { kind: from } : { kind: 'entry', resource: from }
  for (const [at, name] of names.entries()) {
    const rest = names.slice(at + 1)
    const next = stepFrom(catalogue, scope, name)
    if (!next) {
      const last = names.slice(at).join('.')
      const leaf = leafIn(catalogue, scope, last)
      if (leaf) return { steps, leaf }
      return { fault: `There is no field ${last}${possible(namesIn(catalogue, scope, viewer))}` }
    }
    if (at >= DEEPEST) return { fault: `A path may go through ${DEEPEST} relationships` }
    if (rest.length === 0) return { steps, leaf: whole(path, next) }
    if (next.step) steps.push(next.step)
    scope = next.scope
    if (rest.join('.') === TARGET_ID) return { steps, leaf: targetId(scope) }
  }
  return { fault: 'The path is empty' }
}

/** Where paths start, and who is told which names there are. */
interface Origin {
  readonly catalogue: Catalogue
  readonly viewer: Viewer
  readonly from: EntryResource | 'media' | 'file'
}

/** A relationship or component that a path ends at. */
function whole(path: string, { step, scope }: Next): Leaf {
  const isPart = scope.kind === 'part'
  const fault = isPart
    ? `${path} is a component; add a field of it`
    : `${path} is a relationship; add .id`
  return { kind: 'whole', present: step ? plain(step.field) : presenceOf(scope), fault }
}

/** Of what is no row of its own: the author may be gone, types and files never are. */
function presenceOf({ kind }: Scope): Leaf {
  return kind === 'user' ? { kind: 'user', member: 'id' } : constant(true)
}

interface Next {
  /** Absent when it is the same row under another name. */
  readonly step?: Step
  readonly scope: Scope
}

function stepFrom(catalogue: Catalogue, scope: Scope, name: string): Next | undefined {
  switch (scope.kind) {
    case 'entry': {
      const { names, type } = scope.resource
      if (name === 'uid') return { scope: { kind: 'user' } }
      if (name === 'node_type') return { scope: { kind: 'node_type', type } }
      const found = names.relation.get(name) ?? names.field.get(name)
      return attributeStep(catalogue, found?.attribute)
    }
    case 'part':
      return attributeStep(catalogue, scope.component.attribute.get(name))
    case 'media':
      return FILE_FIELDS.includes(name) ? { scope: { kind: 'file' } } : undefined
    default:
      return undefined
  }
}

function attributeStep(catalogue: Catalogue, attribute: Attribute | undefined): Next | undefined {
  if (!attribute || !isShown(attribute)) return undefined
  const step = { field: attribute.name, many: isToMany(attribute) }
  if (attribute.type === 'component') {
    const component = catalogue.model.findComponent(attribute.component)
    return component && { step, scope: { kind: 'part', component } }
  }
  const target = catalogue.behind(attribute)
  if (!target) return undefined
  return {
    step,
    scope: target === 'media' ? { kind: target } : { kind: 'entry', resource: target },
  }
}
