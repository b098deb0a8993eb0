import type { Log } from '../log.ts'
import {
  type Areas,
  type Checker,
  findMember,
  type SettingMember,
  type SettingsValues,
} from './areas.ts'
import type { StoredSetting } from './stored.ts'

/** Makes a secret unreadable for who only has the database. */
export interface SealingBox {
  seal(text: string): string
  open(sealed: string): string
}

interface Deps<A extends Areas> {
  readonly areas: A
  readonly box: SealingBox
  readonly log: Log
  /** Needed for members that cannot check themselves. */
  readonly checker: Checker | undefined
}

export interface Resolved<A extends Areas> {
  readonly values: SettingsValues<A>
  isStored(area: string, name: string): boolean
}

/** Between what is stored and what is in force: stored values win over file and environment. */
export function createResolver<A extends Areas>({ areas, box, log, checker }: Deps<A>) {
  return { resolve, render }

  function render({ secret }: SettingMember, value: unknown): string {
    const text = JSON.stringify(value)
    return secret ? box.seal(text) : text
  }

  /**
   * A stored value that cannot be used (another master key, a schema that became narrower) is
   * passed over and logged: the server must still start, so that it can be corrected.
   */
  function resolve(rows: readonly StoredSetting[]): Resolved<A> {
    const values: Record<string, Record<string, unknown>> = {}
    const stored = new Set<string>()
    for (const [area, members] of Object.entries(areas)) {
      const own = Object.entries(members).map(([name, { value }]) => [name, value] as const)
      values[area] = Object.fromEntries(own)
    }
    for (const row of rows) {
      // Nodes of another version may know more settings than this one.
      const members = Object.hasOwn(areas, row.area) ? areas[row.area] : undefined
      const member = members && findMember(members, row.name)
      const parsed = member && parse(member, row)
      if (!parsed) continue
      stored.add(keyOf(row.area, row.name))
      Object.assign(values[row.area] ?? {}, { [row.name]: parsed.value })
    }
    const whole: unknown = values
    if (!areValid(whole)) throw new Error(`The setting ${findInvalid(whole)} is not valid`)
    return { values: whole, isStored: (area, name) => stored.has(keyOf(area, name)) }
  }

  function parse(member: SettingMember, { area, name, text }: StoredSetting) {
    try {
      const value: unknown = JSON.parse(member.secret ? box.open(text) : text)
      if (accepts(member, value)) return { value }
      log.warn({ area, name }, 'a stored setting is not valid any more and is passed over')
    } catch {
      // Without the cause: it may quote the text, and the text may be a secret.
      log.warn({ area, name }, 'a stored setting cannot be read and is passed over')
    }
    return undefined
  }

  function accepts(member: SettingMember, value: unknown): boolean {
    return member.accepts?.(value) ?? checker?.Check(member.schema, value) ?? false
  }

  function areValid(values: unknown): values is SettingsValues<A> {
    return findInvalid(values) === undefined
  }

  function findInvalid(values: unknown): string | undefined {
    for (const [area, members] of Object.entries(areas)) {
      for (const [name, member] of Object.entries(members)) {
        const value = memberOf(memberOf(values, area), name)
        if (!accepts(member, value)) return `${area}.${name}`
      }
    }
    return undefined
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function keyOf(area: string, name: string): string {
  return `${area}/${name}`
}
