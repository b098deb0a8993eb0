import { createOutbound, type Outbound } from '#http'
import type { Log } from '#kernel'
import { createEndpoints } from '../endpoints.ts'
import type { DeliverySettings } from './settings.ts'

interface Deps {
  readonly isDevelopment: boolean
  readonly log: Log
  settings(): DeliverySettings
}

/** What is under way when the settings change may end by the old ones. */
const OLD_CLIENT_MS = 120_000

/** The guarded client after the settings in force. */
export function createClient({ isDevelopment, log, settings }: Deps) {
  const endpoints = createEndpoints({ isDevelopment, settings })
  let outbound: Outbound | undefined
  let madeFor: { rule: unknown; proxyUrl: string | undefined } | undefined
  const old = new Set<Outbound>()
  return { current, close }

  function current(): Outbound {
    const rule = endpoints.rule()
    const { proxyUrl } = settings()
    if (outbound && madeFor?.rule === rule && madeFor.proxyUrl === proxyUrl) return outbound
    if (outbound) retire(outbound)
    madeFor = { rule, proxyUrl }
    outbound = createOutbound({ rule, log, ...(proxyUrl === undefined ? {} : { proxyUrl }) })
    return outbound
  }

  function retire(client: Outbound) {
    old.add(client)
    setTimeout(() => {
      old.delete(client)
      void client.close()
    }, OLD_CLIENT_MS).unref()
  }

  async function close() {
    await Promise.all([outbound, ...old].map((client) => client?.close()))
  }
}
