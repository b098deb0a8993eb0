import type { Receiver } from './client/connection.ts'
import type { Service } from './server/client.ts'

/** Told of an exception while an exchange was handled. Must not throw itself. */
export type Crash<T> = (exchange: T, error: unknown) => void

/** An exception in one exchange goes to `crash` and not to the connection, timer or thread it ran in. */
export function guardService<T>(service: Service<T>, crash: Crash<T>): Service<T> {
  return {
    open: service.open,
    run: guard(service.run, crash, undefined),
    body: guardOne(service.body, crash, true),
    bodyEnd: guardOne(service.bodyEnd, crash, undefined),
    bodyFault: guardTwo(service.bodyFault, crash, undefined),
    drained: guard(service.drained, crash, undefined),
    over: guardOne(service.over, crash, undefined),
  }
}

export function guardReceiver<T>(receiver: Receiver<T>, crash: Crash<T>): Receiver<T> {
  return {
    connected: guardOne(receiver.connected, crash, undefined),
    hints: guardOne(receiver.hints, crash, undefined),
    head: guardOne(receiver.head, crash, undefined),
    data: guardOne(receiver.data, crash, true),
    flush: guard(receiver.flush, crash, undefined),
    drained: guard(receiver.drained, crash, undefined),
    trailers: guardOne(receiver.trailers, crash, undefined),
    end: guard(receiver.end, crash, undefined),
    failed: guardTwo(receiver.failed, crash, undefined),
    switched: guardTwo(receiver.switched, crash, undefined),
  }
}

// By number of arguments: a list of them would be made anew for every call, several times a request.

function guard<T, R>(work: (exchange: T) => R, crash: Crash<T>, otherwise: R): (exchange: T) => R {
  return (exchange) => {
    try {
      return work(exchange)
    } catch (error) {
      crash(exchange, error)
      return otherwise
    }
  }
}

function guardOne<T, A, R>(work: (exchange: T, a: A) => R, crash: Crash<T>, otherwise: R) {
  return (exchange: T, a: A): R => {
    try {
      return work(exchange, a)
    } catch (error) {
      crash(exchange, error)
      return otherwise
    }
  }
}

function guardTwo<T, A, B, R>(work: (exchange: T, a: A, b: B) => R, crash: Crash<T>, otherwise: R) {
  return (exchange: T, a: A, b: B): R => {
    try {
      return work(exchange, a, b)
    } catch (error) {
      crash(exchange, error)
      return otherwise
    }
  }
}
