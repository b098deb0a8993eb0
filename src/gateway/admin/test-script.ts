import { isIP } from 'node:net'
import Type from 'typebox'
import { unavailable } from '#kernel'
import type { GatewayControl } from '../control.ts'
import type { ScriptTestOutcome } from '../protocol.ts'
import { check, conforms } from '../resources/check.ts'
import type { JsonObject } from '../resources/values.ts'
import { SCRIPT_SETTINGS } from '../scripts/plugin.ts'
import { invalidConfiguration } from './errors.ts'

const LINE = Type.String({ pattern: '^[^\\r\\n\\0]*$', expects: 'must be a text of one line' })

const ASKED = Type.Object(
  {
    phase: Type.Optional(Type.String()),
    function: Type.String({ minLength: 1, maxLength: 64 * 1024 }),
    conf: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    request: Type.Optional(
      Type.Object(
        {
          method: Type.Optional(
            Type.String({ pattern: '^[A-Z]{1,20}$', expects: 'must be a method' }),
          ),
          uri: Type.Optional(Type.String({ pattern: '^/[!-~]*$', expects: 'must be a path' })),
          host: Type.Optional(Type.String({ pattern: '^[^\\s]+$', expects: 'must be a host' })),
          headers: Type.Optional(Type.Record(Type.String(), LINE)),
          remote_addr: Type.Optional(Type.String()),
          body: Type.Optional(Type.String({ maxLength: 1024 * 1024 })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

/** Contract §8: what a script would do, without touching traffic. */
export function createTestRoute(control: GatewayControl) {
  return async (body: unknown): Promise<ScriptTestOutcome> => {
    if (!conforms(ASKED, body)) throw invalidConfiguration(check(ASKED, body))
    const { phase = 'access', function: source, conf: given = {}, request = {} } = body
    const conf: JsonObject = JSON.parse(JSON.stringify(given))
    const faults = check(SCRIPT_SETTINGS, { ...conf, phase, functions: [source] })
    if (faults.length > 0) throw invalidConfiguration(faults)
    const { method = 'GET', uri = '/', host = 'localhost', headers = {} } = request
    const { remote_addr: address = '127.0.0.1' } = request
    if (isIP(address) === 0) {
      throw invalidConfiguration([{ path: '/request/remote_addr', message: 'must be an address' }])
    }
    const outcome = await control.testScript({
      ...{ phase, function: source, conf, body: request.body ?? null },
      request: { method, uri, host, headers, remote_addr: address },
    })
    if (!outcome) throw unavailable('no_data_plane', 'no gateway thread of this process answers')
    return outcome
  }
}
