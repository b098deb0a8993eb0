import type { FastifyRequest } from 'fastify'
import { actorOf } from '#access'
import { type Entry, type EntryTarget, type MediaFile, viewerOf } from '#content'
import { workingCopies } from '#content-dialect'
import { type Form, fieldOf } from '#content-media'
import type { ContentModel, ContentType } from '#content-model'
import type { Tx } from '#db'
import { DomainError, notFound } from '#kernel'
import { fault } from '../body/parse.ts'
import type { CmsDeps } from '../deps.ts'
import { plainInclude } from '../query/populate.ts'
import { getTarget } from '../target.ts'

/** The attribute of an entry that uploaded files shall be attached to. */
export interface Reference {
  readonly type: ContentType
  readonly target: EntryTarget
  readonly field: string
  readonly multiple: boolean
}

/** Others may change the entry between reading and writing it; nobody's change is lost. */
const ATTEMPTS = 5

/** `ref`, `refId` and `field` of a form; undefined when none of them was sent. */
export function parseReference(form: Form, model: ContentModel): Reference | undefined {
  const [ref, refId, field] = ['ref', 'refId', 'field'].map(
    (name) => fieldOf(form, name) || undefined,
  )
  if (ref === undefined && refId === undefined && field === undefined) return undefined
  if (ref === undefined || refId === undefined || field === undefined) {
    throw fault('ref', 'ref, refId and field must be sent together')
  }
  const type = model.findType(ref)
  if (!type) throw fault('ref', `There is no content type ${ref}`)
  const attribute = type.attribute.get(field)
  if (attribute?.type !== 'media') throw fault('field', `${field} is not a media attribute`)
  const target = getTarget(refId, { kind: 'default' })
  return { type, target, field, multiple: attribute.multiple }
}

export function createAttach({ content, transaction }: CmsDeps) {
  return attach

  /** Keeps files and puts them into the entry, both or neither. */
  async function attach(
    request: FastifyRequest,
    reference: Reference | undefined,
    keep: (tx: Tx) => Promise<readonly MediaFile[]>,
  ): Promise<readonly MediaFile[]> {
    if (!reference) return transaction(undefined, keep)
    for (let attempt = 1; ; attempt++) {
      try {
        return await attachOnce(request, reference, keep)
      } catch (error) {
        if (!isStale(error) || attempt === ATTEMPTS) throw error
      }
    }
  }

  async function attachOnce(
    request: FastifyRequest,
    reference: Reference,
    keep: (tx: Tx) => Promise<readonly MediaFile[]>,
  ): Promise<readonly MediaFile[]> {
    const { type, field, multiple } = reference
    const { entry, ids } = await find(request, reference)
    return transaction(undefined, async (tx) => {
      const files = await keep(tx)
      const added = files.map(({ id }) => id)
      if (!multiple && added.length > 1) throw fault('files', `${field} takes one file`)
      const values = { [field]: multiple ? [...ids, ...added] : added[0] }
      // Pictures must not publish what somebody is still writing.
      const status = entry.status === 'changed' ? 'draft' : 'keep'
      const options = { tx, status, ifVersion: entry.version } as const
      await content.entries.update(actorOf(request), type, { id: entry.id }, { values }, options)
      return files
    })
  }

  /** The entry and all files of the attribute, which may be more than one answer holds. */
  async function find(request: FastifyRequest, reference: Reference) {
    const ids: number[] = []
    for (;;) {
      const entry = await findFrom(request, reference, ids.length)
      if (!entry) throw notFound('entry')
      const found = entry.included.get(reference.field)
      if (found?.kind !== 'files') return { entry, ids }
      ids.push(...found.files.map(({ id }) => id))
      if (found.files.length === 0 || ids.length >= found.total) return { entry, ids }
    }
  }

  async function findFrom(
    request: FastifyRequest,
    { type, target, field }: Reference,
    start: number,
  ): Promise<Entry | undefined> {
    const locale = { kind: 'id' in target ? 'all' : 'default' } as const
    const query = workingCopies(type, locale, [plainInclude(field, start)])
    return content.findOne(viewerOf(request), query, target)
  }
}

function isStale(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'stale'
}
