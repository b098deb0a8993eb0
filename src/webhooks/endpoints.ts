import { type AddressRule, createAddressRule } from '#http'
import { endpointNotAllowed } from './refusals.ts'

interface EndpointSettings {
  readonly allowNets: readonly string[]
  readonly httpsOnly: boolean
}

interface Deps {
  readonly isDevelopment: boolean
  settings(): EndpointSettings
}

/** Where deliveries may go (webhooks contract §10), after the settings in force. */
export function createEndpoints({ isDevelopment, settings }: Deps) {
  let rule: AddressRule | undefined
  let madeFor: readonly string[] | undefined
  return { requireAllowed, rule: currentRule }

  /** Names are not resolved here; each connection is checked again when it is made. */
  function requireAllowed(url: string): void {
    if (settings().httpsOnly && URL.parse(url)?.protocol !== 'https:') {
      throw endpointNotAllowed('Only https endpoints are allowed')
    }
    const problem = currentRule().checkUrl(url)
    if (problem !== null) throw endpointNotAllowed(problem)
  }

  function currentRule(): AddressRule {
    const { allowNets } = settings()
    if (!rule || !isSame(allowNets, madeFor ?? [])) {
      rule = createAddressRule({ allowLoopback: isDevelopment, allowNets })
      madeFor = allowNets
    }
    return rule
  }
}

export type Endpoints = ReturnType<typeof createEndpoints>

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at])
}
