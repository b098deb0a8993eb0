import Type from 'typebox'
import { createNetworks, isNetwork } from '../expression/networks.ts'
import { definePlugin } from '../plane/plugin.ts'

const NETWORKS = Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })

/** Lets only some addresses through, or keeps some out. */
export default definePlugin({
  name: 'ip-restriction',
  priority: 3000,
  schema: Type.Object({
    whitelist: Type.Optional(NETWORKS),
    blacklist: Type.Optional(NETWORKS),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    response_code: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
  }),
  findFaults(conf) {
    const faults = (['whitelist', 'blacklist'] as const).flatMap((list) =>
      (conf[list] ?? []).flatMap((network, index) =>
        isNetwork(network)
          ? []
          : [{ path: `/${list}/${index}`, message: 'must be an address or CIDR' }],
      ),
    )
    const isOne = (conf.whitelist === undefined) !== (conf.blacklist === undefined)
    if (isOne) return faults
    return [{ path: '', message: 'exactly one of whitelist and blacklist is required' }, ...faults]
  },
  setup({ whitelist, blacklist, message, response_code: status = 403 }) {
    const networks = createNetworks(whitelist ?? blacklist ?? [])
    const isAllowed = whitelist !== undefined
    const refusal = { status, body: { message: message ?? 'Your IP address is not allowed' } }
    return {
      access: ({ remoteAddr }) => (networks.has(remoteAddr) === isAllowed ? undefined : refusal),
    }
  },
})
