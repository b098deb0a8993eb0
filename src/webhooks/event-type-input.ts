import { problemsOfSchema } from '#json-schema'
import { type Body, type Check, createCheck, parseObject } from './input.ts'
import { type EventType, isReserved } from './records.ts'
import { reservedName } from './refusals.ts'
import type { Visibility } from './tables.ts'

export interface EventTypeChange {
  readonly description?: string | null | undefined
  readonly examplePayload?: unknown
  /** Text; null for none. */
  readonly schema?: string | null | undefined
  readonly isActive?: boolean | undefined
  readonly visibility?: Visibility | undefined
}

const NAME = /^[a-z][a-z0-9_-]*(\.[a-z0-9_][a-z0-9_-]*){0,4}$/
const MAX_NAME = 100
const MAX_DESCRIPTION = 1_000
const VISIBILITIES: readonly Visibility[] = ['all', 'owner', 'staff', 'live']

export function parseNewEventType(given: unknown): EventType {
  const body = parseObject(given)
  const check = createCheck()
  const name = parseName(check, body['name'])
  const { description, examplePayload, schema, isActive, visibility } = parseMembers(check, body)
  check.done()
  if (isReserved(name ?? '')) throw reservedName(name ?? '')
  return {
    name: name ?? '',
    description: description ?? null,
    examplePayload: examplePayload ?? null,
    schema: schema ?? null,
    isActive: isActive ?? true,
    visibility: visibility ?? 'all',
    builtIn: false,
  }
}

export function parseEventTypeChange(given: unknown): EventTypeChange {
  const body = parseObject(given)
  const check = createCheck()
  const change = parseMembers(check, body)
  check.done()
  return change
}

function parseName(check: Check, value: unknown): string | undefined {
  if (value === undefined) return check.refuse('name', 'required', 'is required')
  if (typeof value !== 'string') return check.refuse('name', 'type', 'must be a string')
  if (value.length <= MAX_NAME && NAME.test(value)) return value
  return check.refuse('name', 'pattern', 'must be like resource.action, in small letters')
}

function parseMembers(check: Check, body: Body): EventTypeChange {
  return {
    description: parseDescription(check, body['description']),
    examplePayload: body['example_payload'],
    schema: parseSchema(check, body['schema']),
    isActive: parseActive(check, body['is_active']),
    visibility: parseVisibility(check, body['visibility']),
  }
}

function parseDescription(check: Check, value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value
  if (typeof value === 'string' && value.length <= MAX_DESCRIPTION) return value
  return check.refuse(
    'description',
    'type',
    `must be text of at most ${MAX_DESCRIPTION} characters`,
  )
}

function parseSchema(check: Check, value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value
  for (const { path, rule, message } of problemsOfSchema(value)) check.report(path, rule, message)
  return JSON.stringify(value)
}

function parseActive(check: Check, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  return check.refuse('is_active', 'type', 'must be a boolean')
}

function parseVisibility(check: Check, value: unknown): Visibility | undefined {
  if (value === undefined) return undefined
  const found = VISIBILITIES.find((visibility) => visibility === value)
  return found ?? check.refuse('visibility', 'enum', `must be one of ${VISIBILITIES.join(', ')}`)
}
