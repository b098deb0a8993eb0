import type { Memory } from '../memory.ts'
import type { Checks } from '../resources/values.ts'
import type { UpstreamNode } from './upstream.ts'

/** Thresholds of the checks on real traffic (contract §6.2). */
export interface PassiveChecks {
  readonly healthyStatuses: ReadonlySet<number>
  readonly successes: number
  readonly unhealthyStatuses: ReadonlySet<number>
  readonly httpFailures: number
  readonly tcpFailures: number
  readonly timeouts: number
}

const USUALLY_HEALTHY = [
  200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 305, 306, 307, 308,
]

export function readPassive(checks: Checks | undefined): PassiveChecks | null {
  const passive = checks?.passive
  if (!passive) return null
  const { healthy = {}, unhealthy = {} } = passive
  return {
    healthyStatuses: new Set(healthy.http_statuses ?? USUALLY_HEALTHY),
    successes: healthy.successes ?? 5,
    unhealthyStatuses: new Set(unhealthy.http_statuses ?? [429, 500, 503]),
    httpFailures: unhealthy.http_failures ?? 5,
    tcpFailures: unhealthy.tcp_failures ?? 2,
    timeouts: unhealthy.timeouts ?? 7,
  }
}

/** True when the answer changed the node's state. */
export function noteStatus(
  memory: Memory,
  checks: PassiveChecks,
  { slot }: UpstreamNode,
  status: number,
): boolean {
  if (checks.unhealthyStatuses.has(status)) {
    return memory.report(slot, 'http_failure', checks.httpFailures)
  }
  if (!checks.healthyStatuses.has(status)) return false
  return memory.report(slot, 'success', checks.successes)
}

/** True when the failure changed the node's state. */
export function noteFailure(
  memory: Memory,
  checks: PassiveChecks,
  { slot }: UpstreamNode,
  isTimeout: boolean,
): boolean {
  return isTimeout
    ? memory.report(slot, 'timeout_failure', checks.timeouts)
    : memory.report(slot, 'tcp_failure', checks.tcpFailures)
}
