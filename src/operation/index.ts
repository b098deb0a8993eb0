/**
 * How the server is, for those who look after it: its nodes, its traffic, what fails, the last lines of
 * its log, its backups. It knows other modules only by the questions it is given.
 */
import type { Bus } from '#bus'
import type { Database } from '#db'
import type { EventStreams } from '#http'
import type { Clock, Log } from '#kernel'
import { createBackups } from './backups.ts'
import { createLogLines } from './log-lines.ts'
import { createNodes } from './nodes.ts'
import { createOverview, type OverviewDeps } from './overview.ts'
import { operationRoutes } from './routes.ts'
import type { Traffic } from './store.ts'
import { createTraffic } from './traffic.ts'

export type { LatestChange } from './overview.ts'

interface Deps extends Omit<OverviewDeps, 'nodes' | 'traffic' | 'database'> {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly eventStreams: EventStreams
  readonly nodeId: string
  readonly roles: readonly string[]
  readonly logFile: string | null
  readonly backupDirectory: string
  gatewayThreads(): number
  gatewayTotals(): Promise<Traffic>
}

export function createOperation(deps: Deps) {
  const nodes = createNodes(deps)
  const traffic = createTraffic(deps)
  const backups = createBackups({
    ...{ directory: deps.backupDirectory, clock: deps.clock, bus: deps.bus },
    hasWorker: deps.roles.includes('worker'),
  })
  const overview = createOverview({ ...deps, nodes, traffic, database: deps.db.dialect.name })
  return {
    /** For the HTTP server: it counts what was answered. */
    observe: traffic.observe,
    /** For the mount `/api/v1`. */
    routes: operationRoutes({
      ...{ nodes, backups, overview, eventStreams: deps.eventStreams },
      lines: createLogLines(deps.logFile),
    }),
    async close() {
      backups.close()
      await traffic.close()
      await nodes.close()
    },
  }
}

export type Operation = ReturnType<typeof createOperation>
