import type { Static, TSchema } from 'typebox'
import type { Issue } from '../errors.ts'

/** One setting as the program and its surroundings give it; a stored value wins over this. */
export interface SettingMember {
  readonly schema: TSchema
  readonly value: unknown
  readonly origin: 'default' | 'file' | 'environment'
  /** Stored sealed and never shown. */
  readonly secret?: true
  /** What may be shown of a value that has a secret inside: a URL without its password. */
  mask?(value: unknown): unknown
  /** Checks a value as the schema would; spares the thread the checker of schemas, 20 MB of it. */
  accepts?(value: unknown): boolean
}

export type AreaSchema = Readonly<Record<string, SettingMember>>
export type Areas = Readonly<Record<string, AreaSchema>>

type AreaValues<A extends AreaSchema> = {
  readonly [M in keyof A]: Static<A[M]['schema']>
}
export type SettingsValues<A extends Areas> = { readonly [K in keyof A]: AreaValues<A[K]> }

/** What stands for a secret wherever settings are shown. */
const MASK = '***'

/** The checker of the schemas; loaded only where settings can be changed. */
export type Checker = typeof import('typebox/schema')

/** An empty secret is shown, so that one can see that it is not set. */
export function shownOf(member: SettingMember, value: unknown): unknown {
  if (value === null || value === '') return value
  if (member.secret) return MASK
  return member.mask ? member.mask(value) : value
}

/** The change without what came back as it was shown: who does not know a secret leaves it alone. */
export function withoutMasked(
  area: AreaSchema,
  members: Readonly<Record<string, unknown>>,
  values: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const changed = Object.entries(members).filter(([name, given]) => {
    const member = findMember(area, name)
    const value = values.get(name)
    return !member || value === given || shownOf(member, value) !== given
  })
  return Object.fromEntries(changed)
}

/** All that is wrong with a change, not only the first of it. Null drops a stored value. */
export function checkMembers(
  checker: Checker,
  area: AreaSchema,
  members: Readonly<Record<string, unknown>>,
): Issue[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const member = findMember(area, name)
    if (!member) return [{ path: [name], rule: 'unknown', message: `${name} is not a setting` }]
    if (value === null) return []
    if (isMasked(member, value)) {
      const message = `${name} is masked: send it as it was shown to keep it, or with the new secret`
      return [{ path: [name], rule: 'masked', message }]
    }
    return checkValue(checker, name, member, value)
  })
}

function isMasked({ secret, mask }: SettingMember, value: unknown): boolean {
  if (secret) return value === MASK
  return mask !== undefined && typeof value === 'string' && value.includes(MASK)
}

/** A name like `constructor` is no member. */
export function findMember(area: AreaSchema, name: string): SettingMember | undefined {
  return Object.hasOwn(area, name) ? area[name] : undefined
}

function checkValue(
  checker: Checker,
  name: string,
  { schema }: SettingMember,
  value: unknown,
): Issue[] {
  const [valid, errors] = checker.Errors(schema, value)
  if (valid) return []
  return errors.map(({ keyword, instancePath, message }) => {
    const path = [name, ...parsePointer(instancePath)]
    return { path, rule: keyword, message: `${path.join('.')} ${message}` }
  })
}

/** JSON Pointer (RFC 6901); indexes become numbers. */
function parsePointer(pointer: string): (string | number)[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => {
    const text = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return /^\d+$/.test(text) ? Number(text) : text
  })
}
