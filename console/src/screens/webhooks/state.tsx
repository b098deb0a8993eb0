import { Badge } from '@mantine/core'
import type { Delivery, Stats, Subscription } from './records.ts'

const COLOURS = {
  succeeded: 'teal',
  failed: 'red',
  pending: 'blue',
  held: 'yellow',
  cancelled: 'gray',
} as const

export function DeliveryState({ status }: Pick<Delivery, 'status'>) {
  return (
    <Badge miw="max-content" variant="dot" color={COLOURS[status]} tt="none">
      {status}
    </Badge>
  )
}

export function SubscriptionState({ one }: { one: Subscription }) {
  const [color, word] = stateOf(one)
  return (
    <Badge miw="max-content" variant="dot" color={color} tt="none">
      {word}
    </Badge>
  )
}

function stateOf({ is_active, failure_count, disabled_reason }: Subscription): [string, string] {
  if (!is_active) {
    return disabled_reason === 'manual' || disabled_reason === null
      ? ['gray', 'switched off']
      : ['red', 'given up']
  }
  return failure_count > 0 ? ['yellow', `failing, ${failure_count} in a row`] : ['teal', 'active']
}

/** Of what has come to an end. */
export function successRate({ succeeded, failed }: Stats): string {
  const ended = succeeded + failed
  return ended === 0 ? '–' : `${Math.floor((succeeded / ended) * 100)} %`
}
