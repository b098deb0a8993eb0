import type { Bus } from '../bus/port.ts'
import type { Revisions } from '../bus/revisions.ts'
import type { Database, Tx } from '../db/database.ts'
import { invalid, notFound } from '../errors.ts'
import type { Log } from '../log.ts'
import {
  type AreaSchema,
  type Areas,
  checkMembers,
  type SettingsValues,
  shownOf,
  withoutMasked,
} from './areas.ts'
import { createHandover } from './handover.ts'
import { createHolder } from './holder.ts'
import { createResolver, type SealingBox } from './resolve.ts'
import { dropStored, readStored, type SettingsTables, writeStored } from './stored.ts'

interface Deps<A extends Areas> {
  readonly db: Database
  readonly revisions: Revisions
  readonly areas: A
  readonly box: SealingBox
  readonly log: Log
  /** Given in the main thread only: followers in other threads get their values through it. */
  readonly followers?: Bus | undefined
}

export interface DescribedSetting {
  readonly value: unknown
  readonly origin: 'default' | 'file' | 'environment' | 'stored'
}

/** Settings that can be changed while the program runs (access contract §6). */
export interface Settings<A extends Areas> {
  /** The values in force now; ask for each request rather than keep them. */
  get<K extends keyof A>(area: K): SettingsValues<A>[K]
  describe(area: string): Record<string, DescribedSetting>
  /**
   * Stores members; null drops one. Resolves when this thread uses the new values; within a given
   * transaction they are used when that has committed. Everyone else follows within a second.
   */
  patch(area: string, members: Readonly<Record<string, unknown>>, tx?: Tx): Promise<void>
  /** Called after a value of the area has changed, by whomever. */
  onChange<K extends keyof A>(area: K, handler: (values: SettingsValues<A>[K]) => void): () => void
  /** All values, secrets included, for a follower in another thread. */
  snapshot(): SettingsValues<A>
  close(): void
}

const TOPIC = 'settings'
/** Only a change has to be told what is wrong with it. */
const loadChecker = () => import('typebox/schema')

export async function createSettings<const A extends Areas>(deps: Deps<A>): Promise<Settings<A>> {
  const { db, revisions, areas } = deps
  const members = Object.values(areas).flatMap((area) => Object.values(area))
  const checker = members.every((member) => member.accepts) ? undefined : await loadChecker()
  const resolver = createResolver({ ...deps, checker })
  let resolved = resolver.resolve(await readStored(db.main.reader))
  let applied = 0
  let applying: Promise<void> = Promise.resolve()
  const holder = createHolder(resolved.values, deps.log)
  const handover = deps.followers && createHandover(deps.followers, holder.all)
  const endWatch = revisions.watch(TOPIC, apply)
  return {
    get: holder.get,
    describe,
    patch,
    onChange: holder.onChange,
    snapshot: holder.all,
    close,
  }

  function describe(name: string) {
    const values = valuesOf(name)
    const members = Object.entries(areaOf(name)).map(([member, schema]) => {
      const value = shownOf(schema, values.get(member))
      const origin = resolved.isStored(name, member) ? 'stored' : schema.origin
      return [member, { value, origin }] as const
    })
    return Object.fromEntries(members)
  }

  function valuesOf(name: string): ReadonlyMap<string, unknown> {
    return new Map(Object.entries(holder.all()[name] ?? {}))
  }

  async function patch(name: string, given: Readonly<Record<string, unknown>>, tx?: Tx) {
    const area = areaOf(name)
    const members = withoutMasked(area, given, valuesOf(name))
    const issues = checkMembers(checker ?? (await loadChecker()), area, members)
    if (issues.length > 0) throw invalid(issues)
    if (Object.keys(members).length === 0) return
    await db.main.transaction(tx, async (joined) => {
      // First of all, because its lock makes changes at once queue instead of blocking each other.
      const revision = await revisions.bump(joined, TOPIC)
      await write(joined, name, area, members)
      joined.afterCommit(() => apply(revision))
    })
  }

  async function write(
    tx: Tx,
    name: string,
    area: AreaSchema,
    members: Readonly<Record<string, unknown>>,
  ) {
    const trx = tx.as<SettingsTables>()
    for (const [member, schema] of Object.entries(area)) {
      if (!Object.hasOwn(members, member)) continue
      const value = members[member]
      if (value === null) await dropStored(trx, name, member)
      else {
        const text = resolver.render(schema, value)
        await writeStored(trx, { area: name, name: member, text }, db.dialect.nowMs())
      }
    }
  }

  /** One after the other, so that an older reading never replaces a newer one. */
  function apply(revision: number): Promise<void> {
    applying = applying
      .catch(() => {})
      .then(async () => {
        if (applied >= revision) return
        resolved = resolver.resolve(await readStored(db.main.reader))
        applied = revision
        for (const area of holder.replace(resolved.values)) {
          handover?.hand(area, holder.get(area))
        }
      })
    return applying
  }

  function areaOf(name: string): AreaSchema {
    const area = Object.hasOwn(areas, name) ? areas[name] : undefined
    if (!area) throw notFound('settings_area')
    return area
  }

  function close() {
    endWatch()
    handover?.end()
  }
}
