import { conflict, DomainError, type Issue } from '#kernel'

/** Doc 1 §4.2 rule 1: the body has a form of its own, see `errors.ts`. */
export const UNKNOWN_EVENTS = 'unknown_event_types'

export function unknownEvents(names: readonly string[]): DomainError {
  const message = `Unknown event types: ${names.join(', ')}`
  return new DomainError('unprocessable', UNKNOWN_EVENTS, message, {
    facts: { invalid_events: names },
  })
}

export function reservedName(name: string): DomainError {
  const message = `${name} is a name of our own; choose one that is neither gap nor begins with webhook`
  return new DomainError('unprocessable', 'reserved_name', message)
}

/** The payload of an event does not fit the schema of its type. */
export function schemaViolated(issues: readonly Issue[]): DomainError {
  const [first] = issues
  const message =
    issues.length === 1 && first
      ? first.message
      : `${issues.length} members do not fit the schema of the event type`
  return new DomainError('unprocessable', 'schema_violation', message, { issues })
}

export function endpointNotAllowed(message: string): DomainError {
  return new DomainError('unprocessable', 'endpoint_not_allowed', message)
}

export function tooManySubscriptions(limit: number): DomainError {
  const message = `A consumer can have at most ${limit} active subscriptions`
  return new DomainError('unprocessable', 'subscription_limit', message)
}

export function subscriptionInactive(): DomainError {
  return conflict('subscription_inactive', 'The subscription is inactive; reactivate it first')
}

export function forbidden(message: string): DomainError {
  return new DomainError('forbidden', 'forbidden', message)
}
