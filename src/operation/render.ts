import { renderTime } from '#kernel'
import type { Backup } from './backups.ts'
import type { Node } from './nodes.ts'
import type { Overview } from './overview.ts'

export function renderNode(node: Node) {
  return {
    id: node.id,
    host: node.host,
    pid: node.pid,
    version: node.version,
    roles: [...node.roles],
    threads: node.threads,
    gateway_threads: node.gateway_threads,
    memory_bytes: node.memory_bytes,
    started_at: renderTime(node.started_at),
    seen_at: renderTime(node.seen_at),
    is_this: node.isThis,
  }
}

export function renderOverview(overview: Overview) {
  const { storage, subscriptions, runs } = overview
  const total = Object.values(storage.parts).reduce((sum, bytes) => sum + bytes, 0)
  return {
    version: overview.version,
    database: overview.database,
    nodes: overview.nodes.map(renderNode),
    storage: { total_bytes: total, free_bytes: storage.free, parts: storage.parts },
    requests: overview.traffic.map(({ atMs, requests, errors, gateway }) => ({
      at: renderTime(atMs),
      requests,
      errors,
      gateway_requests: gateway.requests,
      gateway_errors: gateway.errors,
    })),
    changes: overview.changes.map(({ event, type, documentId, locale, atMs }) => ({
      ...{ event, type, document_id: documentId, locale },
      at: renderTime(atMs),
    })),
    failing_webhooks: {
      total: subscriptions.total,
      some: subscriptions.some.map((one) => ({
        id: one.id,
        consumer_id: one.consumerId,
        endpoint_url: one.endpointUrl,
        is_active: one.isActive,
        failure_count: one.failureCount,
        disabled_reason: one.disabledReason,
      })),
    },
    failing_upstreams: overview.upstreams.map((one) => ({ ...one })),
    runs: {
      total: runs.total,
      some: runs.some.map((run) => ({
        id: run.id,
        scraper_id: run.scraperId,
        scraper: run.scraper,
        status: run.status,
        started_at: renderTime(run.startedAtMs),
        items_collected: run.itemsCollected,
        pages_fetched: run.pagesFetched,
      })),
    },
  }
}

export function renderBackup({ name, bytes, atMs }: Backup) {
  return { name, bytes, created_at: renderTime(atMs) }
}
