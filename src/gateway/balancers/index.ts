import type { Balancer } from './balancer.ts'
import { chash } from './chash.ts'
import { leastConn } from './least-conn.ts'
import { roundrobin } from './roundrobin.ts'

export type { BalancedNode, Balancer } from './balancer.ts'
export { hashOf } from './chash.ts'
export { interleave } from './roundrobin.ts'

export const balancers: Readonly<Record<string, Balancer>> = {
  roundrobin,
  chash,
  least_conn: leastConn,
}
