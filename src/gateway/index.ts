// Routes traffic: a data plane in threads of its own, configured while it runs.
export { createControl, type GatewayControl } from './control.ts'
export type { ConfigChange } from './protocol.ts'
