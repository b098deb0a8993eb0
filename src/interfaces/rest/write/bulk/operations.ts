import type { FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import { renderError } from '#http-text'
import { DomainError } from '#kernel'
import { toRestError } from '../../errors.ts'
import { type Asked, sendJson } from '../../request.ts'

const FAILED_DEPENDENCY = 424

export interface Outcome {
  readonly index: number
  readonly status: number
  readonly id?: number | string
  readonly entry_id?: number
  readonly unchanged?: true
  readonly error?: unknown
}

/** Only refusals are outcomes; a failure of ours fails the request. */
export function failed(index: number, error: unknown): Outcome {
  if (!(error instanceof DomainError) || error.kind === 'internal') throw error
  const { status, body } = renderError(toRestError(error), { requestId: '' })
  return { index, status, ...inner(body) }
}

function inner(body: unknown): { error?: unknown } {
  return typeof body === 'object' && body !== null && 'error' in body ? { error: body.error } : {}
}

export function render(operations: readonly Operation[], outcomes: readonly Outcome[]): string {
  return JSON.stringify({ data: outcomes, meta: count(operations, outcomes) })
}

function count(operations: readonly Operation[], outcomes: readonly Outcome[]) {
  const meta = { created: 0, updated: 0, deleted: 0, failed: 0 }
  let unchanged = 0
  for (const { index, status, unchanged: same } of outcomes) {
    if (status >= 400) meta.failed++
    else if (same) unchanged++
    else if (status === 201) meta.created++
    else if (operations[index]?.op === 'delete') meta.deleted++
    else meta.updated++
  }
  return unchanged > 0 ? { ...meta, unchanged } : meta
}

export function refuseAll(asked: Asked, operations: readonly Operation[], cause: Outcome): string {
  const { request, reply } = asked
  const outcomes = operations.map((_, index) => (index === cause.index ? cause : undone(index)))
  const message = `Operation ${cause.index} failed, so none was carried out`
  request.refusal = 'bulk_failed'
  return answerFailure(reply, {
    error: { code: 'bulk_failed', message },
    data: outcomes,
    meta: { created: 0, updated: 0, deleted: 0, failed: operations.length },
  })
}

function undone(index: number): Outcome {
  const message = 'Not carried out, because another operation failed'
  return { index, status: FAILED_DEPENDENCY, error: { code: 'rolled_back', message } }
}

function answerFailure(reply: FastifyReply, body: unknown): string {
  reply.code(422)
  return sendJson(reply, JSON.stringify(body))
}

const MAX_OPERATIONS = 500
export const BULK_BYTES = 5 * 1024 * 1024

const CLOSED = { additionalProperties: false } as const
const Data = Type.Record(Type.String(), Type.Unknown())
const Id = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ maxLength: 64 })])

const Operation = Type.Union([
  Type.Object({ op: Type.Literal('create'), data: Data }, CLOSED),
  Type.Object(
    {
      op: Type.Literal('upsert'),
      key: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
      data: Data,
    },
    CLOSED,
  ),
  Type.Object({ op: Type.Literal('update'), id: Id, data: Data }, CLOSED),
  Type.Object({ op: Type.Literal('delete'), id: Id }, CLOSED),
])

export const BulkBody = Type.Object(
  {
    atomic: Type.Optional(Type.Boolean()),
    operations: Type.Array(Operation, { maxItems: MAX_OPERATIONS }),
  },
  CLOSED,
)

export type Operation = Static<typeof Operation>
export type BulkRequest = Static<typeof BulkBody>
