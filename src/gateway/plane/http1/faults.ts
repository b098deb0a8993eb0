import type { BodyFault } from './body-reader.ts'
import type { HeadFault } from './head-finder.ts'

/** Why something is no request, as it is answered. */
export interface Fault {
  readonly status: number
  readonly message: string
}

export const MALFORMED: Fault = { status: 400, message: 'this is not a correct HTTP request' }
export const HEAD_TOO_LARGE: Fault = { status: 431, message: 'the request head is too large' }
export const NO_CONNECT: Fault = { status: 405, message: 'CONNECT is not served' }
export const TOO_SLOW: Fault = { status: 408, message: 'the request did not arrive in time' }
export const FAILED: Fault = { status: 500, message: 'the request could not be processed' }
export const HEAD_FAULTS: Readonly<Record<HeadFault, Fault>> = {
  malformed: MALFORMED,
  too_large: HEAD_TOO_LARGE,
}
export const BODY_FAULTS: Readonly<Record<BodyFault, Fault>> = {
  malformed: MALFORMED,
  extensions: { status: 413, message: 'the chunk extensions are too large' },
  trailers: HEAD_TOO_LARGE,
}
