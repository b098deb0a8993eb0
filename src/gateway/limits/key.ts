import type { Context } from '../plane/context.ts'
import { templateFault, variablesIn } from '../plane/template.ts'
import { lookUp, variableFault } from '../plane/variables.ts'

type KeyType = 'var' | 'var_combination' | 'constant'

/** What requests are told apart by. */
export type KeyOf = (ctx: Context) => string

/**
 * A request without the value goes by its address. Values carry their length and addresses a mark:
 * no client can send a value that lands on the counter of somebody else.
 */
export function compileKey(key = 'remote_addr', type: KeyType = 'var'): KeyOf {
  if (type === 'constant') return () => ''
  if (type === 'var' && key === 'remote_addr') return byAddress
  const names = type === 'var' ? [key] : variablesIn(key)
  return (ctx) => {
    let text = ''
    let isKnown = false
    for (const name of names) {
      const value = lookUp(ctx, name) ?? ''
      isKnown ||= value !== ''
      text += `${value.length}:${value}`
    }
    return isKnown ? text : byAddress(ctx)
  }
}

/** Variables that no client can give any value it likes. */
const SETTLED: ReadonlySet<string> = new Set([
  ...['remote_addr', 'consumer_name', 'consumer_group_id', 'route_id', 'route_name', 'service_id'],
  ...['api_key_id', 'user_id', 'plan_id', 'plan_name', 'scheme', 'server_port'],
])

/** Whether a client can make up as many keys as it likes. */
export function isOpenKey(key = 'remote_addr', type: KeyType = 'var'): boolean {
  if (type === 'constant') return false
  return (type === 'var' ? [key] : variablesIn(key)).some((name) => !SETTLED.has(name))
}

function byAddress({ remoteAddr }: Context): string {
  return `@${remoteAddr}`
}

/** Why a key cannot be used; null when it can. */
export function keyFault(key = 'remote_addr', type: KeyType = 'var'): string | null {
  switch (type) {
    case 'constant':
      return null
    case 'var':
      return variableFault(key)
    case 'var_combination':
      if (variablesIn(key).length === 0) return 'must name a variable such as $remote_addr'
      return templateFault(key)
  }
}

export function keyFaults({ key, key_type: type }: { key?: string; key_type?: KeyType }) {
  const message = keyFault(key, type)
  return message === null ? [] : [{ path: '/key', message }]
}
