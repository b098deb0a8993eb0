// Loaded before the server: lets one name resolve to this machine, which no public name should.
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const lookup = dns.lookup
const answer = { address: '127.0.0.1', family: 4 }
Object.assign(dns, {
  lookup: async (name: string, options: { all?: boolean } = {}) =>
    name === 'rebound.test' ? (options.all ? [answer] : answer) : lookup(name, options),
})
syncBuiltinESMExports()
