import {
  CONNECTION,
  CONTENT_LENGTH,
  HOST,
  kindOf,
  REQUEST_ID,
  TRANSFER_ENCODING,
} from './client/header-kinds.ts'

/** The headers that every request is asked for, found in one walk instead of by an object of all. */
export interface SentHeaders {
  readonly hosts: number
  /** The first one. */
  readonly host: string | undefined
  /** Undefined also when there are several. */
  readonly requestId: string | undefined
  readonly contentLength: string | undefined
  readonly isChunked: boolean
  /** All of them, joined. */
  readonly connection: string | undefined
}

export function readSentHeaders(raw: readonly string[]): SentHeaders {
  let hosts = 0
  let host: string | undefined
  let ids = 0
  let requestId: string | undefined
  let contentLength: string | undefined
  let isChunked = false
  let connection: string | undefined
  for (let at = 0; at < raw.length; at += 2) {
    switch (kindOf(raw[at] ?? '')) {
      case HOST:
        if (hosts++ === 0) host = raw[at + 1]
        break
      case REQUEST_ID:
        requestId = ids++ === 0 ? raw[at + 1] : undefined
        break
      case CONTENT_LENGTH:
        contentLength ??= raw[at + 1]
        break
      case TRANSFER_ENCODING:
        isChunked = true
        break
      case CONNECTION:
        connection = connection === undefined ? raw[at + 1] : `${connection}, ${raw[at + 1]}`
    }
  }
  return { hosts, host, requestId, contentLength, isChunked, connection }
}
