import { createNames, type Names } from './names.ts'
import type {
  AttributeDefinition,
  Attributes,
  ComponentDefinition,
  Definitions,
  TypeDefinition,
} from './read.ts'
import { valueTypesOf } from './values.ts'

type Member = readonly [name: string, type: string]

const ID = 'number | string'
const TREE: readonly Member[] = [
  ['path', 'string | null'],
  ['tree_parent_id', 'string | null'],
  ['sort_order', 'number'],
  ['is_root?', 'boolean'],
  ['external_id', 'string | null'],
]

/** A module of TypeScript that says what entries of each type have, in the terms of `@entrepot/client`. */
export function renderTypes(url: string, definitions: Definitions): string {
  const names = createNames(definitions)
  const parts = [
    head(url),
    block(
      'Content',
      definitions.types.map((type) => [urlNameOf(type), shapeOf(type, names)]),
    ),
    ...definitions.types.map((type) => renderType(type, names)),
    ...definitions.components.map((component) => renderComponent(component, names)),
  ]
  return `${parts.join('\n\n')}\n`
}

function head(url: string): string {
  return [
    `// The content types of ${url}, written down by "entrepot types"; write it again when they change.`,
    '// Required members are taken to be there: of drafts, which may lack them, ask before you use them.',
  ].join('\n')
}

function shapeOf(type: TypeDefinition, { ofType, ofInput, urlNames }: Names): string {
  const required = Object.entries(type.attributes).filter(([, each]) => mustBeSent(each))
  const members: Member[] = [
    ['kind', type.kind === 'singleType' ? "'single'" : "'collection'"],
    ['record', ofType(type.singularName)],
    ['input', ofInput(type.singularName)],
    ['required', required.map(([name]) => JSON.stringify(name)).join(' | ') || 'never'],
    ['relations', object(relationsOf(type, urlNames), 2)],
  ]
  return object(members, 1)
}

/** Where `include` leads to; private relations lead nowhere. */
function relationsOf(
  { attributes }: TypeDefinition,
  urlNames: ReadonlyMap<string, string>,
): Member[] {
  return Object.entries(attributes).flatMap(([name, each]): Member[] => {
    if (each.private || !isLink(each)) return []
    const target = each.type === 'media' ? 'media' : urlNames.get(String(each.target))
    if (target === undefined) return []
    return [[name, `{ to: ${JSON.stringify(target)}; many: ${isToMany(each)} }`]]
  })
}

function renderType(type: TypeDefinition, names: Names): string {
  const { singularName, displayName, attributes } = type
  const comment = `/** ${displayName.replaceAll('*/', '* /')} */`
  const record = block(names.ofType(singularName), [
    ...([
      ['id', 'number'],
      ['document_id', 'string'],
    ] as const),
    ...shown(attributes, names),
    ...(type.draftAndPublish ? DRAFTS : []),
    ...(type.localized ? ([['locale', 'string']] as const) : []),
    ...TREE,
    ...([
      ['created_at', 'string'],
      ['updated_at', 'string'],
    ] as const),
  ])
  const input = block(names.ofInput(singularName), [
    ...taken(attributes, names),
    ...(type.draftAndPublish ? ([['status?', "'published' | 'draft'"]] as const) : []),
    ...(type.localized
      ? ([
          ['locale?', 'string'],
          ['document_id?', 'string'],
        ] as const)
      : []),
    ...([
      ['external_id?', 'string | null'],
      ['tree_parent_id?', 'string | null'],
    ] as const),
    ...([
      ['sort_order?', 'number'],
      ['is_root?', 'boolean'],
    ] as const),
  ])
  return `${comment}\n${record}\n\n${input}`
}

const DRAFTS: readonly Member[] = [
  ['status', "'draft' | 'published' | 'changed'"],
  ['published_at', 'string | null'],
]

function renderComponent({ uid, attributes }: ComponentDefinition, names: Names): string {
  const record = block(names.ofComponent(uid), [['id', 'number'], ...shown(attributes, names)])
  const input = block(names.ofComponentInput(uid), [['id?', 'number'], ...taken(attributes, names)])
  return `${record}\n\n${input}`
}

function shown(attributes: Attributes, names: Names): Member[] {
  return Object.entries(attributes).flatMap(([name, each]): Member[] => {
    if (each.private || each.type === 'password') return []
    if (isLink(each)) return isToMany(each) ? [] : [[`${name}_id`, 'number | null']]
    if (each.type === 'component') return [[name, partsOf(each, names.ofComponent)]]
    if (each.type === 'dynamiczone') return [[name, zoneOf(each, names.ofComponent)]]
    return [[name, orNull(each, valueTypesOf(each).shown)]]
  })
}

function taken(attributes: Attributes, names: Names): Member[] {
  return Object.entries(attributes).flatMap(([name, each]): Member[] => {
    if (isLink(each)) return isToMany(each) ? [[`${name}?`, LINKS]] : toOne(name)
    if (each.type === 'component') return [[`${name}?`, partsOf(each, names.ofComponentInput)]]
    if (each.type === 'dynamiczone') return [[`${name}?`, zoneOf(each, names.ofComponentInput)]]
    return [[`${name}?`, orNull(each, valueTypesOf(each).taken)]]
  })
}

/** By the number or the document id. */
function toOne(name: string): Member[] {
  return [`${name}_id?`, `${name}?`].map((member) => [member, `${ID} | null`])
}

const LINKS = `readonly (${ID})[] | { set: readonly (${ID})[] } | { connect?: readonly (${ID})[]; disconnect?: readonly (${ID})[] }`

function partsOf(attribute: AttributeDefinition, nameOf: (uid: string) => string): string {
  const name = nameOf(String(attribute.component))
  return attribute.repeatable ? `${name}[]` : `${name} | null`
}

/** Each element says by `__component` which component it is. */
function zoneOf({ components }: AttributeDefinition, nameOf: (uid: string) => string): string {
  const uids = Array.isArray(components) ? components.map(String) : []
  const elements = uids.map((uid) => `{ __component: ${JSON.stringify(uid)} } & ${nameOf(uid)}`)
  return `(${elements.map((each) => `(${each})`).join(' | ') || 'never'})[]`
}

function orNull({ required }: AttributeDefinition, type: string): string {
  return required || type === 'unknown' ? type : `${type} | null`
}

/** What has a default or is made by the server may be left out; a relation has two names to be sent by. */
function mustBeSent(attribute: AttributeDefinition): boolean {
  if (!attribute.required || attribute.default !== undefined || isLink(attribute)) return false
  return attribute.type !== 'uid'
}

function isLink({ type }: AttributeDefinition): boolean {
  return type === 'relation' || type === 'media'
}

function isToMany({ type, relation, multiple }: AttributeDefinition): boolean {
  return type === 'media' ? multiple === true : String(relation).endsWith('ToMany')
}

function urlNameOf({ kind, singularName, pluralName }: TypeDefinition): string {
  return kind === 'singleType' ? singularName : pluralName
}

function block(name: string, members: readonly Member[]): string {
  return `export interface ${name} ${object(members, 0)}`
}

function object(members: readonly Member[], depth: number): string {
  if (members.length === 0) return '{}'
  const indent = '  '.repeat(depth)
  const lines = members.map(([name, type]) => `${indent}  ${keyOf(name)}: ${type}`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

function keyOf(name: string): string {
  const isOptional = name.endsWith('?')
  const bare = isOptional ? name.slice(0, -1) : name
  const key = /^[A-Za-z_$][\w$]*$/.test(bare) ? bare : JSON.stringify(bare)
  return isOptional ? `${key}?` : key
}
