import type { Balancer } from './balancer.ts'
import { chash } from './chash.ts'
import { ewma } from './ewma.ts'
import { leastConn } from './least-conn.ts'
import { roundrobin } from './roundrobin.ts'

export type { BalancedNode, Balancer } from './balancer.ts'
export { hashOf } from './chash.ts'
export { interleave } from './roundrobin.ts'

/** By the `type` of an upstream. */
export const balancers: ReadonlyMap<string, Balancer> = new Map([
  ['roundrobin', roundrobin],
  ['chash', chash],
  ['least_conn', leastConn],
  ['ewma', ewma],
])
