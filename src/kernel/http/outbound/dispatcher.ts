import { getCACertificates } from 'node:tls'
import type { Dispatcher, Pool as PoolOf } from 'undici'
import { type CheckedResolve, createConnector } from './connect.ts'
import { toProxyFailure } from './failure.ts'
import { skipInterim } from './interim.ts'

// Longer than any request may wait, so that the limit of the request decides.
const CONNECT_TIMEOUT_MS = 300_000
/** Shorter, so that another proxy can be asked within the time of the request. */
const PROXY_CONNECT_TIMEOUT_MS = 10_000

interface DispatcherDeps {
  readonly resolve: CheckedResolve
  readonly proxyUrl: string | undefined
  readonly ca: string | undefined
}

/** undici with our connector; HTTP/1.1 only, one pool per origin, unused pools are dropped. */
export async function createDispatcher({ resolve, proxyUrl, ca }: DispatcherDeps) {
  const { default: undici } = await import('undici')
  const { Agent, buildConnector, Pool, ProxyAgent } = undici
  const tls = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }
  if (proxyUrl !== undefined) {
    const proxy = new ProxyAgent({
      uri: proxyUrl,
      allowH2: false,
      connectTimeout: CONNECT_TIMEOUT_MS,
      proxyTls: { ...tls, allowH2: false, timeout: PROXY_CONNECT_TIMEOUT_MS },
      clientFactory: (origin, options) => new Pool(origin, toProxy(options)),
      factory: (origin, options) => {
        const isProxy = String(origin) === new URL(proxyUrl).href
        return new Pool(origin, withoutInterim(isProxy ? toProxy(options) : options))
      },
      ...(ca === undefined ? {} : { requestTls: tls }),
    })
    return { client: proxy satisfies Dispatcher, close: () => proxy.destroy() }
  }

  const secure = buildConnector({ ...tls, allowH2: false, timeout: CONNECT_TIMEOUT_MS })
  const connector = createConnector({ resolve, secure, connectTimeoutMs: CONNECT_TIMEOUT_MS })
  const agent = new Agent({ connect: connector.connect, allowH2: false })
  return { client: agent satisfies Dispatcher, close }

  async function close() {
    connector.close()
    await agent.destroy()
  }
}

/** The same for what a proxy has connected. */
function withoutInterim(options: PoolOf.Options): PoolOf.Options {
  return connecting(options, { socket: skipInterim })
}

/** Who asks has to know that it was the proxy that could not be reached. */
function toProxy(options: PoolOf.Options): PoolOf.Options {
  return connecting(options, { error: toProxyFailure })
}

interface Changed {
  error?(error: Error): Error
  socket?(socket: Parameters<typeof skipInterim>[0]): ReturnType<typeof skipInterim>
}

/** The options with another outcome of connecting. */
function connecting(options: PoolOf.Options, { error: toError, socket: toSocket }: Changed) {
  const { connect } = options
  if (typeof connect !== 'function') return options
  const changed: typeof connect = (target, done) =>
    connect(target, (error, socket) => {
      if (error) done(toError?.(error) ?? error, null)
      else done(null, toSocket?.(socket) ?? socket)
    })
  return { ...options, connect: changed }
}
