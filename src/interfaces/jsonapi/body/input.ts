import type { ContentType, Entry, EntryInput } from '#content'
import { type Actor, DomainError, hasAccess, type Issue, isObject } from '#kernel'
import type { KnownUser } from '../deps.ts'
import { badDocument, issueAt } from '../errors.ts'
import { toMs } from '../query/values.ts'
import type { Catalogue, EntryResource } from '../target/catalogue.ts'
import { isLinking } from '../target/names.ts'
import { type JsonObject, type SentResource, sourceIn } from './document.ts'
import { parseIdentifier, parseLinkage } from './identifiers.ts'
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
  'path',
])

export interface InputContext {
  readonly catalogue: Catalogue
  readonly resource: EntryResource
  readonly actor: Actor
  /** What is changed; undefined for a new entry. */
  readonly current: Entry | undefined
  findUser(uuid: string): Promise<KnownUser | undefined>
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
  const values: Record<string, unknown> = {}
  const issues: Issue[] = []
  const add = (path: readonly string[], rule: string, message: string) => {
    issues.push(issueAt(sourceIn(sent.document, ['data', ...path]), rule, message))
  }
  takeAttributes(context, sent, values, add)
  const createdBy = await takeRelationships(context, sent, values, add)
  const createdAtMs = takeCreated(context, sent.attributes['created'], add)
  return {
    input: {
      values,
      ...(createdAtMs === undefined ? {} : { createdAtMs }),
      ...(createdBy === undefined ? {} : { createdBy }),
    },
    status: takeStatus(context.resource.type, sent.attributes['status'], add),
    langcode: takeLangcode(context, sent.attributes['langcode'], add),
    issues,
  }
}

type Add = (path: readonly string[], rule: string, message: string) => void

function takeAttributes(
  { catalogue, resource, current }: InputContext,
  { attributes }: SentResource,
  values: Record<string, unknown>,
  add: Add,
): void {
  const { names, type } = resource
  for (const [name, value] of Object.entries(attributes)) {
    if (isManaged(name)) continue
    const attribute = names.writable.get(name)
    if (attribute && isLinking(attribute)) {
      add(['attributes', name], 'relationship', `${name} is a relationship`)
    } else if (attribute) values[attribute.name] = toStored(catalogue.model, attribute, value)
    else if (name !== names.label) {
      add(['attributes', name], 'unknown_field', `There is no attribute ${name}`)
    }
  }
  if (!names.isLabelField) takeLabel(attributes, names.label, type.displayField, values, current)
}

function isManaged(name: string): boolean {
  if (name === 'status' || name === 'langcode' || name === 'created') return true
  return IGNORED.has(name) || name.startsWith('drupal_internal__')
}

/** The label is another name of the display field: whichever of the two was changed counts. */
function takeLabel(
  attributes: JsonObject,
  label: string,
  field: string | null,
  values: Record<string, unknown>,
  current: Entry | undefined,
): void {
  if (field === null || !Object.hasOwn(attributes, label)) return
  const isOld = current !== undefined && attributes[label] === current.values()[field]
  if (!isOld || !Object.hasOwn(values, field)) values[field] = attributes[label]
}

async function takeRelationships(
  context: InputContext,
  { relationships }: SentResource,
  values: Record<string, unknown>,
  add: Add,
): Promise<number | undefined> {
  let createdBy: number | undefined
  for (const [name, relationship] of Object.entries(relationships)) {
    if (name === 'node_type') continue
    const at = `/data/relationships/${name}`
    if (!isObject(relationship)) throw badDocument(at, 'A relationship is an object with data')
    const { data } = relationship
    // Links alone, as a long relationship is shown: nothing is said of it.
    if (data === undefined && 'links' in relationship) continue
    if (data === undefined) throw badDocument(at, `${name} has no data`, 'data')
    if (name === 'uid') createdBy = await takeAuthor(context, data, add)
    else takeLinkage(context, name, data, values, add)
  }
  return createdBy
}

function takeLinkage(
  { catalogue, resource }: InputContext,
  name: string,
  data: unknown,
  values: Record<string, unknown>,
  add: Add,
): void {
  const relation = resource.names.relation.get(name)
  if (!relation) {
    add(['relationships', name], 'unknown_field', `There is no relationship ${name}`)
    return
  }
  const ids = parseLinkage(catalogue, relation, data, `/data/relationships/${name}/data`)
  values[relation.attribute.name] = relation.many ? [...new Set(ids)] : (ids[0] ?? null)
}

/** Only administrators say who made something; what is already so is always accepted. */
async function takeAuthor(context: InputContext, data: unknown, add: Add) {
  const at = ['relationships', 'uid', 'data']
  if (data === null) return undefined
  const { type, id } = parseIdentifier(data, '/data/relationships/uid/data')
  const user = type === 'user--user' ? await context.findUser(id.toLowerCase()) : undefined
  if (user && user.id === (context.current?.createdBy ?? context.actor.userId)) return undefined
  if (!hasAccess(context.actor, 'admin')) throw onlyAdmins('uid')
  if (user) return user.id
  if (type !== 'user--user') add([...at, 'type'], 'wrong_target_type', 'uid takes user--user')
  else
    throw new DomainError('not_found', 'target_not_found', `There is no user--user ${id}`, {
      issues: [
        issueAt(
          { pointer: '/data/relationships/uid/data' },
          'target_not_found',
          `There is no ${id}`,
        ),
      ],
    })
  return undefined
}

function takeCreated(
  { actor, current }: InputContext,
  value: unknown,
  add: Add,
): number | undefined {
  if (value === undefined) return undefined
  const ms =
    typeof value === 'string' || typeof value === 'number' ? toMs(String(value)) : undefined
  if (ms === undefined) {
    add(['attributes', 'created'], 'datetime', 'created must be a time')
    return undefined
  }
  const isOld = current && Math.floor(ms / 1000) === Math.floor(current.createdAtMs / 1000)
  if (isOld) return undefined
  if (!hasAccess(actor, 'admin')) throw onlyAdmins('created')
  return ms
}

function onlyAdmins(name: string): DomainError {
  return new DomainError('forbidden', 'forbidden', `Setting ${name} needs the level admin`, {
    facts: { required: 'admin' },
  })
}

function takeStatus(type: ContentType, value: unknown, add: Add): boolean | undefined {
  if (value === undefined) return undefined
  const at = ['attributes', 'status']
  if (typeof value !== 'boolean') add(at, 'boolean', 'status must be true or false')
  else if (type.draftAndPublish) return value
  else if (!value) add(at, 'boolean', `${type.displayName} has no drafts`)
  return undefined
}

function takeLangcode(
  { catalogue, resource }: InputContext,
  value: unknown,
  add: Add,
): string | undefined {
  if (value === undefined || value === null || !resource.type.localized) return undefined
  const known = typeof value === 'string' ? catalogue.model.findLocale(value) : undefined
  if (!known) add(['attributes', 'langcode'], 'locale', `${String(value)} is no language here`)
  return known?.code
}
