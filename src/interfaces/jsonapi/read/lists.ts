import type { Read } from '#content'
import { order as compareTo, jsonList } from '#content-dialect'
import type { ContentType } from '#content-model'
import { mayRead, type Scalar, textOf } from '#content-query'
import { hasAccess } from '#kernel'
import type { KnownUser } from '../deps.ts'
import { badParameter, possible, unknownResource, unknownRevision } from '../errors.ts'
import { matches, type Node, parseConditions } from '../query/conditions.ts'
import { ofBase, pageIn, parseVersion } from '../query/parameters.ts'
import { listState, pageRules, parseShowing } from '../query/parse.ts'
import { readSort } from '../query/sort.ts'
import { membersOf, USER_MEMBERS } from '../query/users.ts'
import { pageLinks, renderNodeType, renderUser, viewOf } from '../render/document.ts'
import { renderDocument, type View } from '../render/view.ts'
import { type Asked, selfOf } from '../request.ts'
import type { Resource } from '../target/catalogue.ts'
import type { UserDirectory } from './users.ts'

/** A resource that is not in the content store, with what can be asked of it. */
interface Item {
  readonly id: string
  readonly no: number
  readonly members: Readonly<Record<string, Scalar>>
  render(view: View): string
}

/** Accounts and content types: few enough to be filtered and sorted here. */
export function createLists({ directory }: { readonly directory: UserDirectory }) {
  return { list, one }

  async function list(asked: Asked, resource: Resource): Promise<Read> {
    const showing = parseShowing(asked, resource)
    listState(asked)
    const { parameters } = asked
    const page = pageIn(parameters, pageRules(showing, resource)).of([])
    const conditions = parseConditions(ofBase(parameters, 'filter'))
    const items = await itemsOf(asked, resource)
    const found = conditions ? items.filter((item) => holds(item, conditions)) : items
    if (conditions) refuseUnknownPaths(conditions, resource)
    const sorted = inOrder(found, readSort(ofBase(parameters, 'sort')), resource)
    const view = viewOf(asked, showing, new Map())
    const shown = sorted.slice(page.offset, page.offset + page.limit)
    const text = renderDocument({
      data: jsonList(shown, (item) => item.render(view)),
      included: showing.include && [],
      meta: { count: found.length },
      links: pageLinks(asked, page, found.length),
    })
    return { text, typeNos: null }
  }

  async function one(asked: Asked, resource: Resource, id: string): Promise<Read> {
    const showing = parseShowing(asked, resource)
    const version = parseVersion(asked.parameters)
    const item = await findItem(asked, resource, id)
    if (!item) throw unknownResource()
    if (version?.kind === 'revision') throw unknownRevision()
    const view = viewOf(asked, showing, new Map())
    const included = showing.include && []
    const data = item.render(view)
    return {
      text: renderDocument({ data, included, links: { self: selfOf(asked) } }),
      typeNos: null,
    }
  }

  async function findItem(asked: Asked, resource: Resource, id: string) {
    if (resource.kind === 'node_type') return typesOf(asked).find((item) => item.id === id)
    const user = await directory.byUuid(id)
    return user && toUserItem(asked, user)
  }

  async function itemsOf(asked: Asked, resource: Resource): Promise<readonly Item[]> {
    if (resource.kind === 'node_type') return typesOf(asked)
    const users = await directory.all()
    return users.filter((user) => mayList(asked, user)).map((user) => toUserItem(asked, user))
  }
}

/** Who has an account is for administrators; everybody else finds only their own. */
function mayList({ request }: Asked, { id }: KnownUser): boolean {
  const { actor } = request
  return actor !== null && (actor.userId === id || hasAccess(actor, 'admin'))
}

function toUserItem({ catalogue }: Asked, user: KnownUser): Item {
  const members = membersOf(user, catalogue.model)
  return { id: user.uuid, no: user.id, members, render: (view) => renderUser(user, view) }
}

function typesOf({ catalogue, viewer }: Asked): readonly Item[] {
  return catalogue.model.types
    .filter((type) => mayRead(viewer, type))
    .map((type) => toTypeItem(type, catalogue.model.defaultLocale))
}

function toTypeItem(type: ContentType, langcode: string): Item {
  const { uuid, no, bundle, entityType, displayName: name, description } = type
  return {
    id: uuid,
    no,
    members: {
      id: uuid,
      drupal_internal__type: bundle,
      entity_type: entityType,
      name,
      description,
      langcode,
      status: true,
    },
    render: (view) => renderNodeType(type, view),
  }
}

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  user: USER_MEMBERS,
  node_type: [
    ...['id', 'drupal_internal__type', 'entity_type', 'name', 'description', 'langcode', 'status'],
  ],
}

function refuseUnknownPaths(node: Node, resource: Resource): void {
  if (node.kind !== 'condition') {
    for (const each of node.of) refuseUnknownPaths(each, resource)
  } else requireMember(resource, node.path, node.pathAt)
}

function requireMember({ kind }: Resource, path: string, at: string): void {
  const members = MEMBERS[kind] ?? []
  if (members.includes(path)) return
  throw badParameter(at, `There is no field ${path}${possible(members)}`, 'unknown_field')
}

function holds(item: Item, node: Node): boolean {
  if (node.kind === 'condition') {
    const value = Object.hasOwn(item.members, node.path) ? item.members[node.path] : null
    return matches(value ?? null, node.operator, node.values.map(textOf))
  }
  if (node.kind === 'and') return node.of.every((each) => holds(item, each))
  return node.of.some((each) => holds(item, each))
}

function inOrder(
  items: readonly Item[],
  keys: ReturnType<typeof readSort>,
  resource: Resource,
): readonly Item[] {
  for (const { path, at } of keys) requireMember(resource, path, at)
  return items.toSorted((a, b) => {
    for (const { path, order } of keys) {
      const by = compareTo(a.members[path] ?? '', String(b.members[path] ?? ''))
      if (by !== 0) return order === 'asc' ? by : -by
    }
    return a.no - b.no
  })
}
