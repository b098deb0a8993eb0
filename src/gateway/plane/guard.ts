import type { Receiver } from './client/connection.ts'
import type { Service } from './server/client.ts'

/** Told of an exception while an exchange was handled. Must not throw itself. */
export type Crash<T> = (exchange: T, error: unknown) => void

/** An exception in one exchange goes to `crash` and not to the connection, timer or thread it ran in. */
export function guardService<T>(service: Service<T>, crash: Crash<T>): Service<T> {
  return {
    open: service.open,
    run: guard(service.run, crash, undefined),
    body: guard(service.body, crash, true),
    bodyEnd: guard(service.bodyEnd, crash, undefined),
    bodyFault: guard(service.bodyFault, crash, undefined),
    drained: guard(service.drained, crash, undefined),
    over: guard(service.over, crash, undefined),
  }
}

export function guardReceiver<T>(receiver: Receiver<T>, crash: Crash<T>): Receiver<T> {
  return {
    connected: guard(receiver.connected, crash, undefined),
    head: guard(receiver.head, crash, undefined),
    data: guard(receiver.data, crash, true),
    flush: guard(receiver.flush, crash, undefined),
    drained: guard(receiver.drained, crash, undefined),
    end: guard(receiver.end, crash, undefined),
    failed: guard(receiver.failed, crash, undefined),
    switched: guard(receiver.switched, crash, undefined),
  }
}

function guard<T, Rest extends unknown[], R>(
  work: (exchange: T, ...rest: Rest) => R,
  crash: Crash<T>,
  otherwise: R,
): (exchange: T, ...rest: Rest) => R {
  return (exchange, ...rest) => {
    try {
      return work(exchange, ...rest)
    } catch (error) {
      crash(exchange, error)
      return otherwise
    }
  }
}
