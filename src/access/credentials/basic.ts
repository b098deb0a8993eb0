import { createHmac } from 'node:crypto'
import { createLru, type Random } from '#kernel'
import { lookUp } from '../look-up.ts'
import type { PasswordCheck } from '../password-check.ts'
import type { Principal } from '../principal.ts'
import type { User } from '../records.ts'
import { invalidKey, userDisabled } from '../refusals.ts'

interface Deps {
  readonly enabled: boolean
  readonly passwordCheck: PasswordCheck
  readonly random: Random
}

const SCHEME = /^basic +(\S+)$/i
const REMEMBERED = 1_000

export function isBasic(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^basic\b/i.test(authorization)
}

/** E-mail and password with every request, for development (Doc 3 §5). */
export function createBasicCheck({ enabled, passwordCheck, random }: Deps) {
  // Checking a password is slow on purpose. What is remembered is useless without this process:
  // its key is in no file. A changed password makes another stored hash, so it is checked anew.
  const key = random.bytes(32)
  const checked = createLru<string, string>(REMEMBERED)
  const checking = new Map<string, Promise<User | null>>()

  return async (authorization: string, address: string): Promise<Principal> => {
    const login = enabled ? parse(authorization) : undefined
    const user = login && (await lookUp(() => find(login, address)))
    if (!user) throw invalidKey()
    if (user.status !== 'active') throw userDisabled()
    const actor = {
      userId: user.id,
      consumerId: user.uuid,
      apiKeyId: null,
      planId: null,
      access: user.access,
      kind: 'basic' as const,
    }
    return { actor, key: null }
  }

  async function find({ email, password }: Login, address: string): Promise<User | null> {
    const name = createHmac('sha256', key).update(`${email}\0${password}`).digest('base64')
    const stored = await passwordCheck.find(email)
    if (stored && stored.passwordHash !== null && checked.find(name) === stored.passwordHash) {
      return stored.user
    }
    const running = checking.get(name) ?? check()
    checking.set(name, running)
    return running

    async function check() {
      try {
        const user = await passwordCheck.check(email, password, address)
        if (user && stored?.passwordHash) checked.keep(name, stored.passwordHash)
        return user
      } finally {
        checking.delete(name)
      }
    }
  }
}

interface Login {
  readonly email: string
  readonly password: string
}

function parse(authorization: string): Login | undefined {
  const [, encoded = ''] = SCHEME.exec(authorization) ?? []
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  return { email: text.slice(0, colon), password: text.slice(colon + 1) }
}
