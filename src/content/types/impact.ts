import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { conflict } from '#kernel'
import {
  type Attribute,
  heldBy,
  isExclusive,
  isScalar,
  isToMany,
  type RelationAttribute,
} from '../model.ts'
import { levelFor } from '../permissions.ts'
import type { ContentTables } from '../tables.ts'
import { countMisfits } from './conversions.ts'
import { isKeptConversion } from './convert.ts'
import {
  countDiffering,
  countEntries,
  countFurtherVariants,
  countSharing,
  countUnpublished,
  countWithSeveral,
  countWithValue,
  type Holder,
} from './count-store.ts'
import {
  componentUid,
  type StoredComponent,
  type StoredModel,
  type StoredType,
} from './definition.ts'
import type { Design, DesignedComponent, DesignedType } from './design.ts'
import { type AttributeChange, becomesShared, differences, lostComponents } from './differences.ts'

/** One line of what a change does to stored entries, as a dry run tells it. */
export interface Impact {
  /** Null when a member of the type itself changes. */
  readonly attribute: string | null
  readonly contentType?: string
  readonly component?: string
  readonly member?: string
  readonly action: 'add' | 'change' | 'remove'
  readonly entriesAffected: number
  /** Where drafts go: how many entries go with them, and how many lose a newer working copy. */
  readonly entriesByStatus?: { readonly draft: number; readonly changed: number }
  readonly lossy: boolean
}

type Db = Kysely<ContentTables>

type Figures = Pick<Impact, 'entriesAffected' | 'entriesByStatus' | 'lossy'>

interface Looking {
  /** Whether values that are converted are looked at. */
  readonly conversions?: boolean
  /** The copies of a type that are looked at; otherwise all are. */
  readonly recentOf?: (type: StoredType) => Holder['only']
}

const NOTHING: Figures = { entriesAffected: 0, lossy: false }

/** What would happen to entries, in the order of the definitions. Reads only. */
export async function assess(
  db: Db,
  stored: StoredModel,
  design: Design,
  { conversions = true, recentOf }: Looking = {},
): Promise<Impact[]> {
  const componentNo = (uid: string) =>
    stored.components.find(({ definition }) => componentUid(definition) === uid)?.no
  const within = stored.types.map(({ no }) => `content_v${no}` as const)
  const impacts: Impact[] = []
  for (const type of design.removedTypes) impacts.push(...(await removal(type)))
  for (const type of design.types) impacts.push(...(await ofType(type)))
  for (const component of design.removedComponents) impacts.push(ofRemoved(component))
  for (const component of design.components) impacts.push(...(await ofComponent(component)))
  return impacts

  async function removal(type: StoredType): Promise<Impact[]> {
    const { attributes, singularName: contentType } = type.definition
    const entriesAffected = await countEntries(db, type.no)
    const lossy = entriesAffected > 0
    const whole = { attribute: null, contentType, member: 'contentType', action: 'remove' } as const
    const lines: Impact[] = [{ ...whole, entriesAffected, lossy }]
    for (const attribute of attributes) {
      const figures = await lost(holderOf(type), attribute)
      lines.push({ attribute: attribute.name, contentType, action: 'remove', ...figures })
    }
    return lines
  }

  /** One in use is not removed by chance, whether or not an entry has it. */
  function ofRemoved({ definition }: StoredComponent): Impact {
    const component = componentUid(definition)
    const isUsed = [...stored.types, ...stored.components].some((set) =>
      set.definition.attributes.some((attribute) => heldBy(attribute).includes(component)),
    )
    const gone = { attribute: null, component, member: 'component', action: 'remove' } as const
    return { ...gone, entriesAffected: 0, lossy: isUsed }
  }

  async function ofType(type: DesignedType): Promise<Impact[]> {
    if (!type.before) return []
    const contentType = type.definition.singularName
    const holder = holderOf(type.before)
    const lines: Impact[] = []
    for (const change of differences(type)) {
      const figures = await figuresOf(holder, change)
      lines.push({ attribute: nameOf(change), contentType, action: change.action, ...figures })
    }
    return [...lines, ...(await ofMembers(type, type.before))]
  }

  async function ofComponent(component: DesignedComponent): Promise<Impact[]> {
    if (!component.before) return []
    const uid = componentUid(component.definition)
    const holder: Holder = { table: `content_c${component.before.no}`, within }
    const lines: Impact[] = []
    for (const change of differences(component)) {
      const figures = await figuresOf(holder, change)
      lines.push({ attribute: nameOf(change), component: uid, action: change.action, ...figures })
    }
    return lines
  }

  function holderOf(type: StoredType): Holder {
    return { table: `content_v${type.no}`, within: [], only: recentOf?.(type) }
  }

  async function figuresOf(holder: Holder, change: AttributeChange): Promise<Figures> {
    if (change.action === 'add') return NOTHING
    if (change.action === 'remove') return lost(holder, change.before)
    const { before, after } = change
    if (isScalar(before) && isScalar(after)) {
      if (before.no === after.no) return ofShared(holder, before, after)
      if (!conversions) return NOTHING
      const { filled, misfits } = await countMisfits(db, holder, before, after)
      const lossy = misfits > 0 || (filled > 0 && !isKeptConversion(before, after))
      return { entriesAffected: filled, lossy }
    }
    if (before.type === 'relation' && after.type === 'relation') {
      return ofRelation(holder, before, after)
    }
    if (before.type === 'dynamiczone') {
      return lost(holder, { ...before, components: lostComponents(change) })
    }
    if (isToMany(before) && !isToMany(after)) return narrowed(holder, before)
    return NOTHING
  }

  async function lost(holder: Holder, attribute: Attribute): Promise<Figures> {
    const entriesAffected = await countWithValue(db, holder, attribute, componentNo)
    return { entriesAffected, lossy: entriesAffected > 0 }
  }

  async function narrowed(holder: Holder, attribute: Attribute): Promise<Figures> {
    const entriesAffected = await countWithSeveral(db, holder, attribute, componentNo)
    return { entriesAffected, lossy: entriesAffected > 0 }
  }

  /** Where one value has to hold for all locales or copies, those that differ are lost. */
  async function ofShared(holder: Holder, before: Attribute, after: Attribute): Promise<Figures> {
    if (!becomesShared({ action: 'change', before, after }) || holder.within.length > 0)
      return NOTHING
    const entriesAffected = await countDiffering(db, holder, before)
    return { entriesAffected, lossy: entriesAffected > 0 }
  }

  /** Links are lost with their owner, and where fewer are allowed at either end. */
  async function ofRelation(
    holder: Holder,
    before: RelationAttribute,
    after: RelationAttribute,
  ): Promise<Figures> {
    if (before.side === 'inverse') return NOTHING
    if (after.linkNo !== before.linkNo) return lost(holder, before)
    const own = isToMany(before) && !isToMany(after) ? await narrowed(holder, before) : NOTHING
    if (!isExclusive(after) || isExclusive(before) || holder.within.length > 0) return own
    const shared = await countSharing(db, holder, before.linkNo)
    const entriesAffected = Math.max(own.entriesAffected, shared)
    return { entriesAffected, lossy: entriesAffected > 0 }
  }

  /** Entries that were never published go, newer working copies are discarded. */
  async function ofDrafts({ no }: StoredType): Promise<Figures> {
    const entriesByStatus = await countUnpublished(db, no)
    const entriesAffected = entriesByStatus.draft + entriesByStatus.changed
    return { entriesAffected, entriesByStatus, lossy: entriesAffected > 0 }
  }

  async function ofMembers({ definition }: DesignedType, before: StoredType): Promise<Impact[]> {
    const former = before.definition
    const lines: Impact[] = []
    const line = (member: string, figures: Figures) => {
      const contentType = definition.singularName
      lines.push({ attribute: null, contentType, member, action: 'change', ...figures })
    }
    if (former.localized !== definition.localized) {
      const all = recentOf ? 0 : await countEntries(db, before.no)
      const holder = holderOf(before)
      const further = former.localized ? await countFurtherVariants(db, before.no, holder) : 0
      line('localized', { entriesAffected: further || all, lossy: further > 0 })
    }
    if (!isDeepStrictEqual(former.permissions, definition.permissions)) {
      const isSeen = levelFor(former, 'read') !== levelFor(definition, 'read')
      const entriesAffected = isSeen && !recentOf ? await countEntries(db, before.no) : 0
      line('permissions', { entriesAffected, lossy: false })
    }
    if (former.draftAndPublish !== definition.draftAndPublish) {
      line('draftAndPublish', former.draftAndPublish ? await ofDrafts(before) : NOTHING)
    }
    return lines
  }
}

export function isLossy(impacts: readonly Impact[]): boolean {
  return impacts.some(({ lossy }) => lossy)
}

export function wouldLoseData(changes: readonly Impact[]) {
  const message = 'The change would lose stored values; repeat it with force=true to do it anyway'
  return conflict('would_lose_data', message, { changes })
}

function nameOf(change: AttributeChange): string {
  return change.action === 'remove' ? change.before.name : change.after.name
}
