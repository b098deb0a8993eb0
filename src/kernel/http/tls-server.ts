import type { RequestListener } from 'node:http'
import type { Server, ServerOptions } from 'node:https'
import type { KeyPair } from '../key-pair.ts'
import { nodeHttps } from './node-http.ts'

interface Options extends ServerOptions {
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
}

/** Options of the framework for HTTP/1.1 over TLS 1.2 or 1.3; it sets no times on a server that is given to it. */
export function overTls(
  pair: KeyPair,
  { requestTimeoutMs, keepAliveMs, ...options }: Options,
): { serverFactory(serve: RequestListener): Server } {
  return {
    serverFactory(serve) {
      const server = nodeHttps().createServer({ ...options, ...pair, minVersion: 'TLSv1.2' }, serve)
      server.requestTimeout = requestTimeoutMs
      server.keepAliveTimeout = keepAliveMs
      return server
    },
  }
}
