import { timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Counters, Window } from '#counters'
import type { Clock } from '#kernel'
import { lookUp } from '../look-up.ts'
import { digestOf } from '../secrets.ts'
import type { ClientCredentials } from './client-credentials.ts'
import { invalidClient, tooManyFailures } from './errors.ts'
import type { Holders } from './holders.ts'
import type { StoredClient } from './records.ts'
import { isClientId } from './secrets.ts'
import { findClient } from './store.ts'
import type { OAuthTables } from './tables.ts'
import type { AuthenticClient } from './tokens.ts'

interface Deps {
  readonly reader: Kysely<OAuthTables>
  readonly counters: Pick<Counters, 'add' | 'read'>
  readonly clock: Clock
  readonly holders: Holders
}

const FAILURES_PER_MINUTE = 30
const MINUTE_MS = 60_000
const MINUTE: Window = { kind: 'calendar', unit: 'minute' }
/** Compared with when there is no such client, so that this takes as long as a wrong secret. */
const NOBODYS_HASH = digestOf('')

/** Who the client is, or a refusal; too many wrong ones from one side are not even looked at. */
export function createClientAuthentication({ reader, counters, clock, holders }: Deps) {
  return { authenticate }

  async function authenticate(
    { clientId, secret, scheme }: ClientCredentials,
    address: string,
  ): Promise<AuthenticClient> {
    const client = isClientId(clientId)
      ? await lookUp(() => findClient(reader, clientId))
      : undefined
    const names = counterNames(client, address)
    const failures = await Promise.all(names.map((name) => counters.read(name, MINUTE)))
    if (failures.some((count = 0) => count >= FAILURES_PER_MINUTE)) throw throttled()

    const isRight = isSame(digestOf(secret), client?.secretHash ?? NOBODYS_HASH)
    const holder = client && isRight && !client.isDisabled ? await holders.find(client.keyId) : null
    if (client && holder) return { client, holder }
    await noteFailure(names)
    throw invalidClient(scheme)
  }

  /** Decides again while it counts: of any number at once no more than these are answered. */
  async function noteFailure(names: readonly string[]) {
    const { allowed } = await counters.add(
      names.map((name) => ({ name, window: MINUTE, amount: 1, limit: FAILURES_PER_MINUTE })),
    )
    if (!allowed) throw throttled()
  }

  function throttled() {
    return tooManyFailures(Math.ceil((MINUTE_MS - (clock.now() % MINUTE_MS)) / 1000))
  }
}

export type ClientAuthentication = ReturnType<typeof createClientAuthentication>

/** Made-up client ids count on their address alone: they could fill any number of counters. */
function counterNames(client: StoredClient | undefined, address: string): string[] {
  const byAddress = `oauth-failures:address:${address}`
  return client ? [`oauth-failures:client:${client.clientId}`, byAddress] : [byAddress]
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))
}
