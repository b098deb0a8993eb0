import Type from 'typebox'
import { createNetworks, isNetwork, type Networks } from '../expression/networks.ts'
import { parseClientAddress } from '../plane/address.ts'
import { definePlugin } from '../plane/plugin.ts'
import { lookUp, variableFault } from '../plane/variables.ts'

const CHAIN = 'http_x_forwarded_for'

/** Takes the address of the client from a header or parameter that a proxy has set. */
export default definePlugin({
  name: 'real-ip',
  priority: 23000,
  schema: Type.Object({
    source: Type.String({ minLength: 1, maxLength: 256 }),
    trusted_addresses: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
    recursive: Type.Optional(Type.Boolean()),
  }),
  findFaults({ source, trusted_addresses: trusted = [] }) {
    const unknown = variableFault(source)
    return [
      ...(unknown === null ? [] : [{ path: '/source', message: unknown }]),
      ...trusted.flatMap((network, at) => {
        if (isNetwork(network)) return []
        return [{ path: `/trusted_addresses/${at}`, message: 'must be an address or CIDR' }]
      }),
    ]
  },
  setup({ source, trusted_addresses: list, recursive: isRecursive = false }) {
    const trusted = list ? createNetworks(list) : null
    return {
      rewrite(ctx) {
        if (trusted && !trusted.has(ctx.remoteAddr)) return undefined
        const value = lookUp(ctx, source)
        if (!value) return undefined
        const found = parseClientAddress(
          source === CHAIN ? fromChain(value, isRecursive ? trusted : null) : value,
        )
        if (!found) return undefined
        ctx.remoteAddr = found.address
        if (found.port === undefined) return undefined
        ctx.extra ??= new Map()
        ctx.extra.set('remote_port', found.port)
        return undefined
      },
    }
  },
})

/** The last address, or with trusted ones the last that is none of them. */
function fromChain(chain: string, trusted: Networks | null): string {
  const addresses = chain.split(',').map((each) => each.trim())
  if (!trusted) return addresses.at(-1) ?? ''
  const isTrusted = (each: string) => {
    const found = parseClientAddress(each)
    return found !== undefined && trusted.has(found.address)
  }
  return addresses.findLast((each) => !isTrusted(each)) ?? addresses[0] ?? ''
}
