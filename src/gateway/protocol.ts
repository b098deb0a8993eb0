/** One object of the gateway's configuration, as it is stored; threads compile it themselves. */
export interface ConfigObject {
  readonly kind: string
  readonly id: string
  readonly value: unknown
}

export type ConfigChange =
  | { readonly put: ConfigObject }
  | { readonly remove: { readonly kind: string; readonly id: string } }

/** From the control plane to a gateway thread. */
export type ToThread =
  | { readonly type: 'full'; readonly revision: number; readonly objects: readonly ConfigObject[] }
  | {
      readonly type: 'delta'
      readonly from: number
      readonly to: number
      readonly changes: readonly ConfigChange[]
    }

/** From a gateway thread to the control plane. */
export type FromThread =
  | { readonly type: 'ack'; readonly revision: number }
  /** The thread lacks revisions before a delta and needs a full copy. */
  | { readonly type: 'gap'; readonly revision: number }

export interface ThreadData {
  readonly host: string
  readonly port: number
  readonly drainMs: number
  readonly log: { readonly to: 'file' | 'stdout'; readonly level: string; readonly dataDir: string }
  readonly clock: SharedArrayBuffer
  /** Name of the bus between the threads of the process. */
  readonly channel: string
  readonly name: string
  /** Tests make a thread silent with a request, to see it replaced. */
  readonly underTest: boolean
}
