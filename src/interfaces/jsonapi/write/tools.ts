import type { Entry } from '#content'
import { expectedVersion, faultOf, UNSEEN } from '#content-dialect'
import type { Tx } from '#db'
import type { Issue } from '#kernel'
import type { JsonObject } from '../body/document.ts'
import { refuseAll, withPointers } from '../body/refusals.ts'
import { badParameter, refusalAt, unknownResource } from '../errors.ts'
import { parseVersion, RESOURCE_VERSION } from '../query/parameters.ts'
import { createFinder, fixed } from '../read/find.ts'
import type { ReadDeps } from '../read.ts'
import type { Asked } from '../request.ts'
import type { EntryResource } from '../target/catalogue.ts'

/** What every change of an entry needs. */
export function createTools({ content, transaction }: Pick<ReadDeps, 'content' | 'transaction'>) {
  const finder = createFinder(content)
  return { findCurrent, perform }

  /** The working copy in the language of the path, else of the default locale, else any. */
  async function findCurrent(asked: Asked, resource: EntryResource, id: string): Promise<Entry> {
    const { defaultLocale } = asked.catalogue.model
    const here = { ...asked, viewer: UNSEEN, locale: asked.prefixed ?? defaultLocale }
    const current = await finder.find(here, resource, id, 'working', fixed([]))
    if (!current) throw unknownResource()
    return current
  }

  /**
   * With findings of our own the change is tried and undone, so that the caller hears of everything
   * that is wrong at once.
   */
  async function perform<T>(
    resource: EntryResource,
    document: JsonObject,
    issues: readonly Issue[],
    run: (tx?: Tx) => Promise<T>,
  ): Promise<T> {
    if (issues.length > 0) {
      const found = withPointers(await faultOf(transaction, run), resource, document)
      throw refuseAll(issues, found)
    }
    return run().catch((error: unknown) => {
      throw withPointers(error, resource, document)
    })
  }
}

export type WriteTools = ReturnType<typeof createTools>

/** The version that `If-Match` lets be changed. */
export function versionFor(asked: Asked, current: Entry): number | undefined {
  requireRevision(asked, current)
  return expectedVersion(asked.request.headers['if-match'], current)
}

/** A link names the revision that was read; whoever follows it changes no other. */
export function requireRevision({ parameters }: Asked, { revisionId }: Entry): void {
  const version = parseVersion(parameters)
  if (version === undefined) return
  if (version.kind !== 'revision') {
    const message = 'A change is not made to one of two copies: status says what becomes of them'
    throw badParameter(RESOURCE_VERSION, message, 'no_effect')
  }
  if (version.id === revisionId) return
  const message = 'The entry has changed since this revision'
  throw refusalAt('stale', 'precondition_failed', { parameter: RESOURCE_VERSION }, message)
}

/** Nothing is answered. */
export function done({ reply }: Asked): undefined {
  reply.code(204).removeHeader('content-type')
}
