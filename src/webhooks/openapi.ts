import { createHash } from 'node:crypto'
import type { OpenApiSections } from '#http'
import type { EventType } from './records.ts'

const TEXT = { type: 'string' } as const
const HEADERS: readonly (readonly [name: string, description: string])[] = [
  ['webhook-id', 'the id of the event; the same on every attempt, to tell repetitions by'],
  ['webhook-timestamp', 'when this attempt was made, in seconds since 1970'],
  ['webhook-signature', 'signatures by the secret of the subscription (Standard Webhooks 1.0)'],
  ['webhook-event', 'the type of the event'],
  ['webhook-delivery', 'the id of the delivery'],
  ['webhook-attempt', 'the number of the attempt, from 1'],
]

/**
 * The section `webhooks` (OpenAPI 3.1): what a receiver is sent for each type of event. Types that only
 * staff receive are left out, because the document needs no key.
 */
export function describeEvents(types: readonly EventType[]): OpenApiSections {
  const shown = types.filter(({ visibility }) => visibility !== 'staff')
  const hash = createHash('sha256')
  for (const { name, description, examplePayload, schema } of shown) {
    hash.update(JSON.stringify([name, description, examplePayload, schema]))
  }
  return { revision: `events ${hash.digest('hex')}`, webhooks: operations(), schemas: schemas() }

  function* operations(): Generator<object> {
    for (const type of shown) yield { [type.name]: { post: operationOf(type) } }
  }

  function* schemas(): Generator<object> {
    for (const type of shown) yield { [componentOf(type)]: schemaOf(type) }
  }
}

function operationOf(type: EventType) {
  const { name, description } = type
  return {
    tags: ['Events'],
    operationId: `event.${name}`,
    summary: description ?? name,
    description: `Sent to the endpoint of every subscription to ${name} whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.`,
    // Receivers verify the signature; nothing of ours is presented to them.
    security: [],
    parameters: HEADERS.map(([header, meaning]) => ({
      ...{ name: header, in: 'header', required: true },
      ...{ description: meaning, schema: TEXT },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: bodyOf(type), ...exampleOf(type) } },
    },
    responses: {
      '2XX': { description: 'The event was received' },
      '410': { description: 'Nothing more is wanted: the subscription is disabled' },
      default: { description: 'The attempt failed and is made again later' },
    },
  }
}

/** Webhooks contract §7. */
function bodyOf(type: EventType) {
  return {
    type: 'object',
    required: ['id', 'type', 'timestamp', 'sequence', 'data'],
    properties: {
      id: { ...TEXT, pattern: '^evt_[0-9a-f]{32}$' },
      type: { const: type.name },
      timestamp: { ...TEXT, format: 'date-time' },
      sequence: { type: ['integer', 'null'], description: 'counts the events of a subscription' },
      data: { $ref: `#/components/schemas/${componentOf(type)}` },
    },
  }
}

function exampleOf({ name, examplePayload }: EventType) {
  if (examplePayload === null) return {}
  const id = 'evt_0197a2c46c1e7b3a9a513f0d7c1e2b44'
  const timestamp = '2026-05-04T10:20:30.123Z'
  return { example: { id, type: name, timestamp, sequence: 41, data: examplePayload } }
}

/** Names of events are names of components too. */
function componentOf({ name }: EventType): string {
  return `event.${name}`
}

/** The schema that payloads must fit, or what the example shows of them. */
function schemaOf(type: EventType): unknown {
  if (type.schema === null) return shapeOf(type.examplePayload)
  const base = `#/components/schemas/${componentOf(type)}`
  // References lead into the schema, which is now a part of something larger.
  return JSON.parse(type.schema, (name, value) =>
    name === '$ref' && typeof value === 'string' ? value.replace(/^#/, base) : value,
  )
}

function shapeOf(example: unknown): object {
  if (Array.isArray(example)) {
    return { type: 'array', items: example.length > 0 ? shapeOf(example[0]) : {} }
  }
  if (typeof example === 'string') return TEXT
  if (typeof example === 'boolean') return { type: 'boolean' }
  if (typeof example === 'number') return { type: 'number' }
  // What is null in the example may be anything at another time.
  if (typeof example !== 'object' || example === null) return {}
  const members = Object.entries(example)
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, value]) => [name, shapeOf(value)])),
  }
}
