import Type from 'typebox'
import type { EventStreams, HttpApp, HttpPlugin } from '#http'
import { renderTimeOrNull } from '#kernel'
import { reportOthers } from '#paging'
import type { Backups } from './backups.ts'
import type { LogLines } from './log-lines.ts'
import type { Nodes } from './nodes.ts'
import type { Overview } from './overview.ts'
import { renderBackup, renderNode, renderOverview } from './render.ts'
import {
  BackupRecord,
  BackupState,
  LogLineRecord,
  LogQuery,
  LogStreamQuery,
  NodeRecord,
  OverviewRecord,
} from './schemas.ts'

interface RouteDeps {
  readonly nodes: Nodes
  readonly lines: LogLines
  readonly backups: Backups
  readonly eventStreams: EventStreams
  overview(): Promise<Overview>
}

const config = { access: 'admin' } as const
const tags = ['Operation']
const params = Type.Object({ name: Type.String({ maxLength: 200 }) })

/** How the server is, under `/api/v1` (console contract §4). */
export function operationRoutes(deps: RouteDeps): HttpPlugin {
  return (app) => {
    // A scope of its own, not awaited: filled before its mount is, it would miss the mount's last hooks.
    app.register(async (scope: HttpApp) => {
      scope.addHook('preValidation', reportOthers)
      stateRoutes(scope, deps)
      logRoutes(scope, deps)
      backupRoutes(scope, deps)
    })
  }
}

function stateRoutes(app: HttpApp, { nodes, overview }: RouteDeps): void {
  app.get(
    '/overview',
    {
      config: { ...config, etag: false },
      schema: {
        tags,
        summary: 'How the server is',
        description:
          'Version, nodes, storage, requests of the last day, latest changes and what fails, in one answer. Requests are those of all nodes; health of upstreams is that of the node that answers.',
        response: { 200: Type.Object({ data: OverviewRecord }) },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return { data: renderOverview(await overview()) }
    },
  )

  app.get(
    '/nodes',
    {
      config: { ...config, etag: false },
      schema: {
        tags,
        summary: 'List nodes',
        description:
          'The processes that make up this installation, the oldest first. One that has been silent for half a minute is left out.',
        response: {
          200: Type.Object({
            data: Type.Array(NodeRecord),
            meta: Type.Object({ total: Type.Integer() }),
          }),
        },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      const all = await nodes.list()
      return { data: all.map(renderNode), meta: { total: all.length } }
    },
  )
}

function logRoutes(app: HttpApp, { lines, eventStreams }: RouteDeps): void {
  app.get(
    '/overview/log',
    {
      config: { ...config, etag: false },
      schema: {
        tags,
        summary: 'Read the last lines of the log',
        description:
          'The newest lines of the node that answers, oldest of them first. A node whose log goes to standard output answers 404 `log_not_kept`.',
        querystring: LogQuery,
        response: { 200: Type.Object({ data: Type.Array(LogLineRecord) }) },
      },
    },
    async (request, reply) => {
      const { limit, level, q } = request.query
      reply.header('cache-control', 'no-store')
      return { data: lines.last(limit, level, q) }
    },
  )

  app.get(
    '/overview/log/stream',
    {
      config: { ...config, ticket: true, compress: false, etag: false },
      schema: {
        tags,
        summary: 'Follow the log as server-sent events',
        description:
          'Each line that the node writes from now on is an event `line`. It ends when the client leaves or the server stops.',
        querystring: LogStreamQuery,
      },
    },
    async (request, reply) => {
      let end = () => {}
      const { level } = request.query
      // Before the answer has begun: a log that is not kept is a refusal.
      lines.last(1, level, undefined)
      const stream = eventStreams.open(request, reply, { onClose: () => end() })
      end = lines.follow(stream, level)
      return reply
    },
  )
}

function backupRoutes(app: HttpApp, { backups }: RouteDeps): void {
  app.get(
    '/overview/backups',
    {
      config: { ...config, etag: false },
      schema: {
        tags,
        summary: 'List backups',
        description:
          'Backups in `backup.directory` of the node that answers, the newest first. `meta` says whether one is being made, whether the last one has failed, and how many files it lacks.',
        response: { 200: Type.Object({ data: Type.Array(BackupRecord), meta: BackupState }) },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return { data: (await backups.list()).map(renderBackup), meta: renderState(backups) }
    },
  )

  app.post(
    '/overview/backups',
    {
      config,
      schema: {
        tags,
        summary: 'Make a backup',
        description:
          'Begins a backup of everything and answers at once; the list shows it when it is done. Of the oldest, more than `backup.keep` are removed as with those by schedule.',
        response: { 202: Type.Object({ data: BackupState }) },
      },
    },
    async (_request, reply) => {
      await backups.make()
      reply.code(202)
      return { data: renderState(backups) }
    },
  )

  app.get(
    '/overview/backups/:name',
    {
      config: { ...config, etag: false, compress: false },
      schema: {
        tags,
        summary: 'Download a backup',
        description:
          'The file as `entrepot restore` takes it. It holds everything but the master key, so keep it as you keep the server.',
        params,
      },
    },
    async (request, reply) => {
      const { name, bytes, stream } = await backups.open(request.params.name)
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('content-length', bytes)
        .type('application/octet-stream')
        .send(stream)
    },
  )

  app.delete(
    '/overview/backups/:name',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a backup',
        description:
          'Removes the file from the node that answers. It cannot be brought back, and nothing else is changed.',
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await backups.remove(request.params.name)
      reply.code(204)
    },
  )
}

function renderState(backups: Backups) {
  const { runningSinceMs, failedAtMs, missingFiles } = backups.state()
  return {
    running_since: renderTimeOrNull(runningSinceMs),
    failed_at: renderTimeOrNull(failedAtMs),
    missing_files: missingFiles,
  }
}
