import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { HttpPlugin } from '#http'
import { renderError } from '#http-text'
import { type Actor, DomainError } from '#kernel'
import type { Done } from '../entries/ports.ts'
import type { Definitions } from '../types/definitions.ts'
import type { EntryImport, Imported } from './import.ts'
import { IMPORT_BYTES, ImportAnswer, ImportBody } from './schemas.ts'

interface Deps {
  readonly entryImport: EntryImport
  readonly definitions: Pick<Definitions, 'getType'>
}

/** `POST /api/v1/content-types/{name}/import`: how contents of other systems come in. */
export function entryImportRoutes({ entryImport, definitions }: Deps): HttpPlugin {
  return (app) => {
    app.post(
      '/content-types/:name/import',
      {
        config: { access: 'admin' },
        bodyLimit: IMPORT_BYTES,
        schema: {
          tags: ['Content types'],
          summary: 'Import entries of a content type',
          description:
            'Takes entries as another system had them, with document id, times, live and working copy; what is required for publishing need not be there. Each record has an outcome of its own, and one that is sent again changes nothing.',
          params: Type.Object({ name: Type.String() }),
          body: ImportBody,
          response: { 200: ImportAnswer },
        },
      },
      async (request) => {
        const type = definitions.getType(request.params.name)
        const actor = actorOf(request)
        const done = await entryImport.putAll(actor, type, request.body.records)
        return { data: done.map(outcome) }
      },
    )
  }
}

function outcome(one: Done<Imported>, index: number) {
  if ('error' in one) return refused(index, one.error)
  const { created, changed, entry } = one.value
  const unchanged = changed ? {} : { unchanged: true }
  return { index, status: created ? 201 : 200, id: entry.id, ...unchanged }
}

/** Only refusals are outcomes; a failure of ours fails the request. */
function refused(index: number, error: unknown) {
  if (!(error instanceof DomainError) || error.kind === 'internal') throw error
  const { status, body } = renderError(error, { requestId: '' })
  const inner = typeof body === 'object' && body !== null && 'error' in body ? body.error : body
  return { index, status, error: inner }
}

function actorOf({ actor }: FastifyRequest): Actor {
  if (!actor) throw new DomainError('unauthenticated', 'api_key_required', 'API key required')
  return actor
}
