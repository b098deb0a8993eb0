// Loaded before the server: names of this machine that no public name server would give.
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const lookup = dns.lookup
let lookups = 0
Object.assign(dns, {
  lookup: async (name: string, options: { all?: boolean } = {}) => {
    const address = addressOf(name)
    if (address === undefined) return lookup(name, options)
    const answer = { address, family: 4 }
    return options.all ? [answer] : answer
  },
})
syncBuiltinESMExports()

function addressOf(name: string): string | undefined {
  if (name.endsWith('.shop.test')) return '127.0.0.1'
  if (name === 'inside.test') return '127.0.0.1'
  // As the name server of an attacker answers: harmless first, then something internal.
  if (name === 'rebound.test') return lookups++ === 0 ? '127.0.0.5' : '127.0.0.6'
  return undefined
}
