import type { Kind } from '../protocol.ts'

export interface GatewayTables {
  gateway_objects: {
    kind: Kind
    id: string
    value: string
    sealed: number
    created_index: number
    modified_index: number
    created_at: number
    updated_at: number
    expires_at: number | null
    aborts: string | null
  }
  gateway_removals: { kind: Kind; id: string; removed_index: number; removed_at: number }
  gateway_history: {
    revision: number
    position: number
    written_at: number
    written_by: string
    kind: Kind
    id: string
    before: string | null
    after: string | null
    sealed: number
  }
  gateway_marks: { name: string; value: string }
}
