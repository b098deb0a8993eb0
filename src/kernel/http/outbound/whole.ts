import type { Dispatcher } from 'undici'
import type { BodyEnd } from './body.ts'
import { OutboundFailure, toFailure } from './failure.ts'
import type { OutboundRequest } from './types.ts'

export interface WholeAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly bodyEnd: BodyEnd
  /** `performance.now()` when the headers were there. */
  readonly headersAtMs: number
}

type Limits = Pick<OutboundRequest, 'timeoutMs' | 'maxBodyBytes' | 'onSend'> & {
  readonly bodyTimeoutMs: number | 'rest'
  readonly signal: AbortSignal | undefined
}

type Head = Pick<WholeAnswer, 'statusCode' | 'headers' | 'headersAtMs'>

/**
 * One request and its whole answer, without a stream in between: a third of the cost where answers
 * are small and many. The same limits hold as for a stream: `timeoutMs` until the headers, the
 * others for the body.
 */
export function exchangeWhole(
  client: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { timeoutMs, bodyTimeoutMs, maxBodyBytes, onSend, signal }: Limits,
): Promise<WholeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>()
  const chunks: Buffer[] = []
  let room = maxBodyBytes
  let controller: Dispatcher.DispatchController | undefined
  let failure: OutboundFailure | undefined
  let head: Head | undefined
  let isOver = false
  let timer = setTimeout(fail, timeoutMs, 'timeout')
  const giveUp = () => fail('aborted')
  signal?.addEventListener('abort', giveUp, { once: true })
  if (signal?.aborted) giveUp()
  else start()
  return promise

  function start() {
    try {
      client.dispatch(options, { ...handler(), onRequestStart })
    } catch (error) {
      end(error)
    }
  }

  /** Also a connection that stands too late is used for nothing. */
  function onRequestStart(given: Dispatcher.DispatchController) {
    controller = given
    if (failure) given.abort(failure)
    else onSend?.()
  }

  function handler(): Dispatcher.DispatchHandler {
    return {
      onResponseStart(_, statusCode, headers) {
        // An informational answer precedes the real one.
        if (statusCode < 200) return
        head = { statusCode, headers, headersAtMs: performance.now() }
        if (bodyTimeoutMs === 'rest') return
        clearTimeout(timer)
        timer = setTimeout(fail, bodyTimeoutMs, 'timeout')
      },
      onResponseData(_, chunk) {
        if (isOver) return
        if (chunk.length <= room) {
          room -= chunk.length
          chunks.push(Buffer.from(chunk))
          return
        }
        chunks.push(Buffer.from(chunk.subarray(0, room)))
        finish('size')
        controller?.abort(new OutboundFailure('aborted'))
      },
      onResponseEnd: () => finish('complete'),
      onResponseError: (_, error) => end(error),
    }
  }

  /** Ends it now, whatever stage it is in; the connection is closed when there is one. */
  function fail(code: 'timeout' | 'aborted') {
    failure = new OutboundFailure(code)
    controller?.abort(failure)
    end(failure)
  }

  function end(error: unknown) {
    if (isOver) return
    const isGivenUp = error instanceof OutboundFailure && error.code === 'aborted'
    if (head && !isGivenUp) {
      finish(error instanceof OutboundFailure ? 'time' : 'connection')
      return
    }
    settle()
    try {
      reject(toFailure(error))
    } catch (own) {
      reject(own)
    }
  }

  function finish(bodyEnd: BodyEnd) {
    if (isOver || !head) return
    settle()
    resolve({ ...head, body: Buffer.concat(chunks), bodyEnd })
  }

  function settle() {
    isOver = true
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}
