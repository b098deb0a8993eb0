import type { FastifyRequest, RouteShorthandOptions } from 'fastify'
import Type from 'typebox'
import type { Actor } from '#kernel'
import { parseIntegerId } from '#paging'
import type { Run, Scraper } from '../records.ts'
import type { Runs } from '../runs.ts'
import type { Scrapers } from '../scrapers.ts'

export interface RouteDeps {
  readonly scrapers: Scrapers
  readonly runs: Runs
  /** Where clients see us. */
  origin(request: FastifyRequest): string
}

export const tags = ['Scrapers']
export const forReaders = { access: 'read' } as const
export const forWriters = { access: 'write' } as const
export const forAdmins = { access: 'admin' } as const

/** The guard lets nobody through to these routes without a credential. */
export function actorOf({ actor }: FastifyRequest): Actor {
  if (!actor) throw new Error('a scraper route was reached without an actor')
  return actor
}

export const ScraperParams = Type.Object({ id: Type.String() })
export const RunParams = Type.Object({ id: Type.String(), runId: Type.String() })
export const PoolParams = Type.Object({ name: Type.String() })

/** The schema of the body is for the reference; the use case checks it. */
export const unchecked: Pick<RouteShorthandOptions, 'validatorCompiler'> = {
  validatorCompiler: () => (value: unknown) => ({ value }),
}

/** A path whose id cannot be one names nothing, exactly as an unknown id does. */
export function scraperOf(
  { scrapers }: RouteDeps,
  request: FastifyRequest & { params: { id: string } },
): Promise<Scraper> {
  return scrapers.get(actorOf(request), parseIntegerId(request.params.id))
}

export async function runOf(
  deps: RouteDeps,
  request: FastifyRequest & { params: { id: string; runId: string } },
): Promise<{ readonly scraper: Scraper; readonly run: Run }> {
  const scraper = await scraperOf(deps, request)
  const run = await deps.runs.get(scraper, parseIntegerId(request.params.runId))
  return { scraper, run }
}
