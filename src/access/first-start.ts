import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { type Log, OperatorError, type Random } from '#kernel'
import type { Passwords } from '#secrets'
import type { Change, Changes } from './changes.ts'
import type { KeyEvents } from './key-events.ts'
import { insertIssuedKey } from './keys.ts'
import { isForAdmins } from './last-admin.ts'
import { PLAN_DEFAULTS } from './plans.ts'
import type { Plan, PlanFigures, User } from './records.ts'
import { createRawKey, digestOf } from './secrets.ts'
import { findPlanByName, insertPlan } from './store/plans.ts'
import { isKnownSecret } from './store/secrets.ts'
import { findActiveAdmin, findUserByEmail, hasUsers } from './store/users.ts'
import type { AccessTables } from './tables.ts'
import { insertNewUser } from './users.ts'

interface Deps {
  readonly db: Database
  readonly changes: Changes
  readonly passwords: Passwords
  readonly events: KeyEvents
  readonly random: Random
  readonly log: Pick<Log, 'info'>
}

export interface AdminSettings {
  readonly email: string
  readonly password?: string | undefined
  readonly key?: string | undefined
}

/** What was made up and therefore has to be shown, once; empty when nothing was. */
export interface Generated {
  readonly password?: string
  readonly key?: string
}

const INTERNAL: PlanFigures = {
  ...PLAN_DEFAULTS,
  name: 'Internal',
  requestsPerMonth: null,
  requestsPerMinute: null,
}

/** Doc 2 §2.1: the figures are a matter of the operator, who changes them over the API. */
const SOLD: readonly PlanFigures[] = [
  {
    ...PLAN_DEFAULTS,
    name: 'Starter',
    requestsPerMonth: 10_000,
    requestsPerMinute: 60,
    endpoints: ['GET /**', '* /v1/keys/**'],
    priceCents: 1_900,
  },
  {
    ...PLAN_DEFAULTS,
    name: 'Business',
    requestsPerMonth: 100_000,
    requestsPerMinute: 600,
    priceCents: 9_900,
  },
  {
    ...PLAN_DEFAULTS,
    name: 'Enterprise',
    requestsPerMonth: 1_000_000,
    requestsPerMinute: 6_000,
    priceCents: 49_900,
  },
]

const GENERATED_PASSWORD_LENGTH = 24

/** Access contract §6.1: what an empty installation begins with. */
export function createFirstStart({ db, changes, passwords, events, random, log }: Deps) {
  const reader: Kysely<AccessTables> = db.main.reader
  return { run, issueAdminKey }

  /** Of several nodes that start at once, one creates the first user and key. */
  async function run(settings: AdminSettings): Promise<Generated> {
    const generated = (await hasUsers(reader)) ? undefined : await createFirst(settings)
    if (generated) return generated
    if (settings.key !== undefined) await addKnownKey(settings, settings.key)
    return {}
  }

  async function createFirst(settings: AdminSettings): Promise<Generated | undefined> {
    const { email } = settings
    const password = settings.password ?? random.text(GENERATED_PASSWORD_LENGTH)
    const rawKey = settings.key ?? createRawKey(random)
    const passwordHash = await passwords.hash(password)
    const isFirst = await changes.change(async (change) => {
      if (await hasUsers(change.trx)) return false
      const plan = await insertPlan(change.trx, INTERNAL, change)
      for (const figures of SOLD) await insertPlan(change.trx, figures, change)
      const owner = await insertNewUser(change, random, { email, access: 'admin', passwordHash })
      await insertIssuedKey(change, events, { ...ADMIN, name: 'First key', owner, plan, rawKey })
      return true
    })
    if (!isFirst) return undefined
    return {
      ...(settings.password === undefined ? { password } : {}),
      ...(settings.key === undefined ? { key: rawKey } : {}),
    }
  }

  /** A key that is known is left as it is: a revoked one is not revived. */
  async function addKnownKey({ email }: AdminSettings, rawKey: string): Promise<void> {
    const digest = digestOf(rawKey)
    if (await isKnownSecret(reader, digest)) return
    const key = await changes.change(async (change) => {
      if (await isKnownSecret(change.trx, digest)) return undefined
      return insertAdminKey(change, { email, name: 'From the settings', rawKey })
    })
    if (key) log.info({ key_id: key.id }, 'the admin key of the settings was added')
  }

  /** For the operator on the host who has lost every other key. */
  async function issueAdminKey(email: string, name: string | undefined): Promise<string> {
    const rawKey = createRawKey(random)
    await changes.change((change) =>
      insertAdminKey(change, { email, name: name ?? 'Issued on the host', rawKey }),
    )
    return rawKey
  }

  async function insertAdminKey(
    change: Change,
    { email, name, rawKey }: { email: string; name: string; rawKey: string },
  ) {
    const owner = await adminOf(change, email)
    const plan = await internalPlan(change)
    return insertIssuedKey(change, events, { ...ADMIN, name, owner, plan, rawKey })
  }
}

const ADMIN = { access: 'admin' } as const

/** The one of the settings when it still is an admin, else the one who was there first. */
async function adminOf({ trx }: Change, email: string): Promise<User> {
  const named = (await findUserByEmail(trx, email))?.user
  if (named?.access === 'admin' && named.status === 'active') return named
  const admin = await findActiveAdmin(trx)
  if (!admin) throw new OperatorError('There is no active admin; start the server once first.')
  return admin
}

/** A new one where the plan of that name has been closed: with a key of it nothing could be recovered. */
async function internalPlan(change: Change): Promise<Plan> {
  const found = await findPlanByName(change.trx, INTERNAL.name)
  return found && isForAdmins(found) ? found : insertPlan(change.trx, INTERNAL, change)
}
