/** The settings that deliveries go by; asked for anew each time. */
export interface DeliverySettings {
  readonly retrySchedule: readonly number[]
  readonly jitter: number
  readonly disableAfter: number
  readonly disableMinFailingSeconds: number
  readonly maxSubscriptionsPerConsumer: number
  readonly retentionDays: number
  /** Requests under way at once in this process. */
  readonly workers: number
  readonly httpsOnly: boolean
  readonly allowNets: readonly string[]
  readonly proxyUrl?: string | undefined
  readonly smtpUrl?: string | undefined
  readonly smtpSender?: string | undefined
}
