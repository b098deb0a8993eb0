/** What a test sent and what it got. */
export interface Exchange {
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly status: number
  readonly request?: unknown
  readonly response?: unknown
}
