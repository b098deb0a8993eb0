import type { Entry, EntryInput } from '#content'
import type { FoundPath } from '#content-query'
import { type Actor, DomainError, hasAccess, type Issue, isObject } from '#kernel'
import type { KnownUser } from '../deps.ts'
import { badDocument, issueAt, refusalAt } from '../errors.ts'
import { toMs } from '../query/conditions.ts'
import type { Catalogue, EntryResource } from '../target/catalogue.ts'
import { isLinking } from '../target/names.ts'
import { parseIdentifier, parseLinkage, type SentResource, sourceIn } from './document.ts'
import { readPath } from './path.ts'
import { toStored } from './values.ts'

/** Server-managed: ignored, so that a document can be sent back as it was read (contract §7.1). */
const IGNORED = new Set([
  'changed',
  'revision_timestamp',
  'default_langcode',
  'revision_translation_affected',
  'revision_log',
  'promote',
  'sticky',
])

export interface InputContext {
  readonly catalogue: Catalogue
  readonly resource: EntryResource
  readonly actor: Actor
  /** What is changed; undefined for a new entry. */
  readonly current: Entry | undefined
  /** The language of the path, else the default one. */
  readonly locale: string
  findUser(uuid: string): Promise<KnownUser | undefined>
  findPath(path: string): Promise<readonly FoundPath[]>
}

/** What a resource object says of an entry. */
export interface ParsedInput {
  readonly input: EntryInput
  /** Undefined when it was not sent. */
  readonly status: boolean | undefined
  readonly langcode: string | undefined
  /** What is wrong besides what the store will find. */
  readonly issues: readonly Issue[]
}

export async function parseInput(context: InputContext, sent: SentResource): Promise<ParsedInput> {
  const { catalogue, resource, actor, current } = context
  const { type, names } = resource
  const { attributes, relationships, document } = sent
  const values: Record<string, unknown> = {}
  const issues: Issue[] = []
  const reading = {
    catalogue,
    refuse: (at: readonly (string | number)[], message: string, rule = 'unknown_field') =>
      add(['attributes', ...at], rule, message),
  }
  takeAttributes()
  const createdBy = await takeRelationships()
  const createdAtMs = takeCreated(attributes['created'])
  const langcode = takeLangcode(attributes['langcode'])
  const parent = await takePath(attributes['path'])
  return {
    input: {
      values,
      ...(createdAtMs === undefined ? {} : { createdAtMs }),
      ...(createdBy === undefined ? {} : { createdBy }),
      ...(parent === undefined ? {} : { parent }),
    },
    status: takeStatus(attributes['status']),
    langcode,
    issues,
  }

  function add(path: readonly (string | number)[], rule: string, message: string): undefined {
    issues.push(issueAt(sourceIn(document, ['data', ...path]), rule, message))
  }

  function takeAttributes(): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (isManaged(name)) continue
      const attribute = names.writable.get(name)
      if (attribute && isLinking(attribute)) {
        add(['attributes', name], 'relationship', `${name} is a relationship`)
      } else if (attribute) values[attribute.name] = toStored(reading, attribute, value, [name])
      else if (name !== names.label) {
        add(['attributes', name], 'unknown_field', `There is no attribute ${name}`)
      }
    }
    if (!names.isLabelField) takeLabel(names.label, type.displayField)
  }

  /** The label is another name of the display field: whichever of the two was changed counts. */
  function takeLabel(label: string, field: string | null): void {
    if (field === null || !Object.hasOwn(attributes, label)) return
    const isOld = current !== undefined && attributes[label] === current.values()[field]
    if (!isOld || !Object.hasOwn(values, field)) values[field] = attributes[label]
  }

  /** The slug by its path; whoever sends both says the same, or sends one as it was read. */
  async function takePath(value: unknown): Promise<string | null | undefined> {
    const { findPath, locale } = context
    const found = await readPath({ type, current, locale, findPath }, value)
    if (!found) return undefined
    if ('message' in found) return add(['attributes', 'path', ...found.at], 'path', found.message)
    const field = type.slugField ?? ''
    const sent = values[field] ?? null
    const isOther = sent !== null && sent !== found.slug && sent !== current?.values()[field]
    if (isOther)
      return add(['attributes', 'path', 'alias'], 'path', `alias is not that of ${field}`)
    values[field] = found.slug
    return found.parent
  }

  async function takeRelationships(): Promise<number | undefined> {
    let author: number | undefined
    for (const [name, relationship] of Object.entries(relationships)) {
      if (name === 'node_type') continue
      const at = `/data/relationships/${name}`
      if (!isObject(relationship)) throw badDocument(at, 'A relationship is an object with data')
      const { data } = relationship
      // Links alone, as a long relationship is shown: nothing is said of it.
      if (data === undefined && 'links' in relationship) continue
      if (data === undefined) throw badDocument(at, `${name} has no data`, 'data')
      if (name === 'uid') author = await takeAuthor(data)
      else takeLinkage(name, data)
    }
    return author
  }

  function takeLinkage(name: string, data: unknown): void {
    const relation = names.relation.get(name)
    if (!relation) {
      add(['relationships', name], 'unknown_field', `There is no relationship ${name}`)
      return
    }
    const at = `/data/relationships/${name}/data`
    const ids = collect(() => parseLinkage(catalogue, relation, data, at))
    if (ids) values[relation.attribute.name] = relation.many ? [...new Set(ids)] : (ids[0] ?? null)
  }

  /** A value that breaks a rule is told with all others; a body of another form at once. */
  function collect<Value>(read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'unprocessable') throw error
      issues.push(...error.issues)
      return undefined
    }
  }

  /** Only administrators say who made something; what is already so is always accepted. */
  async function takeAuthor(data: unknown): Promise<number | undefined> {
    if (data === null) return undefined
    const pointer = '/data/relationships/uid/data'
    const { type: named, id } = parseIdentifier(data, pointer)
    const isUser = named === 'user--user'
    const user = isUser ? await context.findUser(id.toLowerCase()) : undefined
    if (user && user.id === (current?.createdBy ?? actor.userId)) return undefined
    if (!hasAccess(actor, 'admin')) throw onlyAdmins('uid')
    if (user) return user.id
    if (isUser) throw refusalAt('not_found', 'target_not_found', { pointer }, `There is no ${id}`)
    const at = ['relationships', 'uid', 'data', 'type']
    return add(at, 'wrong_target_type', 'uid takes user--user')
  }

  function takeCreated(value: unknown): number | undefined {
    if (value === undefined) return undefined
    const isGiven = typeof value === 'string' || typeof value === 'number'
    const ms = isGiven ? toMs(String(value)) : undefined
    if (ms === undefined) {
      return add(['attributes', 'created'], 'datetime', 'created must be a time')
    }
    const isOld = current && Math.floor(ms / 1000) === Math.floor(current.createdAtMs / 1000)
    if (isOld) return undefined
    if (!hasAccess(actor, 'admin')) throw onlyAdmins('created')
    return ms
  }

  function takeStatus(value: unknown): boolean | undefined {
    if (value === undefined) return undefined
    const at = ['attributes', 'status']
    if (typeof value !== 'boolean') return add(at, 'boolean', 'status must be true or false')
    if (type.draftAndPublish) return value
    return value ? undefined : add(at, 'boolean', `${type.displayName} has no drafts`)
  }

  function takeLangcode(value: unknown): string | undefined {
    if (value === undefined || value === null || !type.localized) return undefined
    const known = typeof value === 'string' ? catalogue.model.findLocale(value) : undefined
    if (!known) add(['attributes', 'langcode'], 'locale', `${String(value)} is no language here`)
    return known?.code
  }
}

const TAKEN_APART = new Set(['status', 'langcode', 'created', 'path'])

/** Server-managed, or taken apart from the other attributes. */
export function isManaged(name: string): boolean {
  return TAKEN_APART.has(name) || IGNORED.has(name) || name.startsWith('drupal_internal__')
}

export function onlyAdmins(name: string): DomainError {
  return new DomainError('forbidden', 'forbidden', `Setting ${name} needs the level admin`, {
    facts: { required: 'admin' },
  })
}
