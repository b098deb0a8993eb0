import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { AccessModule, OwnCredential } from '#access'
import type { Database } from '#db'
import type { Clock, Log, Random } from '#kernel'
import type { SecretBox } from '#secrets'
import { createFailures } from './failures.ts'
import { createIntegrations } from './integrations.ts'
import { createOAuthCheck } from './oauth.ts'
import { integrationRoutes } from './routes.ts'
import type { CredentialTables } from './tables.ts'
import { createTokens, isAdminToken } from './tokens.ts'

export interface CredentialDeps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly box: SecretBox
  readonly access: Pick<AccessModule, 'keys' | 'plans' | 'logins' | 'checkRecord' | 'origin'>
  readonly publicUrl: string | undefined
  readonly allowSha1: boolean
}

const DAY_MS = 24 * 3_600_000
/** Nobody waits for what has expired to be gone. */
const PURGE_EVERY_MS = 60_000

/** Who calls, by the credentials that only this dialect has (contract §3). */
export function createCredentials(deps: CredentialDeps) {
  const { db, clock, access, publicUrl } = deps
  const writer: Kysely<CredentialTables> = db.main.writer
  const failures = createFailures(deps)
  const tokens = createTokens({ ...deps, logins: access.logins, failures })
  const integrations = createIntegrations({ ...deps, findInternalPlan })
  const checkSigned = createOAuthCheck({
    ...deps,
    findIntegration: integrations.findVerifiable,
    useNonce,
    checkRecord: access.checkRecord,
  })
  let purgedAtMs = clock.now()
  void integrations.reseal().catch((error: unknown) => {
    deps.log.warn(
      { err: error },
      'secrets of integrations could not be sealed with the new master key',
    )
  })
  return {
    issueToken: tokens.issue,
    own,
    routes: integrationRoutes({ integrations, origin: access.origin }),
  }

  function own(request: FastifyRequest): ReturnType<OwnCredential> {
    const { method, headers, originalUrl: url } = request
    const { authorization } = headers
    const bearer = bearerOf(headers)
    if (bearer !== undefined && isAdminToken(bearer)) return tokens.check(bearer)
    const origins = originsOf(request, publicUrl)
    return checkSigned({ method, url, authorization, origins })
  }

  /** The unique key of the table decides between two at the same moment, on whichever nodes. */
  async function useNonce(used: string, expiresAtMs: number): Promise<boolean> {
    purgeSometimes()
    try {
      await writer.insertInto('commerce_nonces').values({ used, expires_at: expiresAtMs }).execute()
      return true
    } catch (error) {
      if (db.dialect.isUniqueViolation(error)) return false
      throw error
    }
  }

  function purgeSometimes() {
    const nowMs = clock.now()
    if (nowMs - purgedAtMs < PURGE_EVERY_MS) return
    purgedAtMs = nowMs
    void purge(nowMs).catch((error: unknown) => deps.log.warn({ err: error }, 'purge failed'))
  }

  async function purge(nowMs: number) {
    await writer.deleteFrom('commerce_nonces').where('expires_at', '<', nowMs).execute()
    await tokens.purge()
    await failures.purge(nowMs - DAY_MS)
  }

  async function findInternalPlan(): Promise<number | undefined> {
    return (await access.plans.findByName('Internal'))?.id
  }
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}

/** Where the connection came in, forwarded headers of trusted proxies included, and where we say we are. */
function originsOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string[] {
  const given = withoutDefaultPort(`${protocol}://${host.toLowerCase()}`)
  const own = publicUrl === undefined ? [] : [publicUrl.replace(/\/+$/, '')]
  return [...new Set([given, ...own.map(withoutDefaultPort)])]
}

function withoutDefaultPort(origin: string): string {
  return origin.replace(/^(http:\/\/[^/]*?):80(?=\/|$)|^(https:\/\/[^/]*?):443(?=\/|$)/, '$1$2')
}
