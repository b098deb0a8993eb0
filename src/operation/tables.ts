export interface OperationTables {
  operation_nodes: {
    id: string
    host: string
    pid: number
    version: string
    /** Separated by commas. */
    roles: string
    threads: number
    gateway_threads: number
    memory_bytes: number
    started_at: number
    seen_at: number
  }
  operation_traffic: { at: number; part: TrafficPart; requests: number; errors: number }
}

export type TrafficPart = 'api' | 'gateway'
