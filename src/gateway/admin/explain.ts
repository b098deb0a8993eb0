import { isIP } from 'node:net'
import Type from 'typebox'
import { unavailable } from '#kernel'
import type { GatewayControl } from '../control.ts'
import type { Explanation } from '../protocol.ts'
import type { References } from '../references.ts'
import { check, conforms } from '../resources/check.ts'
import { invalidConfiguration } from './errors.ts'

const ASKED = Type.Object(
  {
    method: Type.Optional(Type.String({ pattern: '^[A-Z]{1,20}$', expects: 'must be a method' })),
    uri: Type.String({ pattern: '^/[!-~]*$', expects: 'must be a path with or without a query' }),
    host: Type.Optional(Type.String({ pattern: '^[^\\s]+$', expects: 'must be a host' })),
    headers: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String({ pattern: '^[^\\r\\n]*$', expects: 'must be a text of one line' }),
      ),
    ),
    remote_addr: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

/** Asks one thread of the data plane, which knows best. */
export function createExplain(control: GatewayControl, mask: References['mask']) {
  return async (body: unknown): Promise<Explanation> => {
    if (!conforms(ASKED, body)) throw invalidConfiguration(check(ASKED, body))
    const { method = 'GET', uri, host = 'localhost', headers = {} } = body
    const { remote_addr: address = '127.0.0.1' } = body
    if (isIP(address) === 0) {
      throw invalidConfiguration([{ path: '/remote_addr', message: 'must be an address' }])
    }
    const answer = await control.explain({ method, uri, host, headers, remote_addr: address })
    if (!answer) throw unavailable('no_data_plane', 'no gateway thread of this process answers')
    const shown: Explanation = JSON.parse(mask(JSON.stringify(answer)))
    return shown
  }
}
