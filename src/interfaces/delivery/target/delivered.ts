import { type Attribute, type ContentModel, type ContentType, isShown } from '#content'
import { isUuid } from '#kernel'
import type { DeliverySettings, IndexField } from '../deps.ts'

/** What there is for a caller: the types that are delivered, and the fields registered for them. */
export interface Delivered {
  readonly types: readonly ContentType[]
  readonly indexFields: readonly IndexField[]
  has(type: ContentType): boolean
  /** By alias, whatever its case. */
  findType(alias: string): ContentType | undefined
}

type Known = WeakMap<DeliverySettings, readonly [all: Delivered, isPublic: Delivered]>
const known = new WeakMap<ContentModel, Known>()

/** Made once for each model and each settings; callers without a key see public types only. */
export function deliveredTo(
  model: ContentModel,
  settings: DeliverySettings,
  hasKey: boolean,
): Delivered {
  const ofModel: Known = known.get(model) ?? new WeakMap()
  known.set(model, ofModel)
  const found = ofModel.get(settings) ?? [
    createDelivered(model, settings, true),
    createDelivered(model, settings, false),
  ]
  ofModel.set(settings, found)
  return hasKey ? found[0] : found[1]
}

/** A type that is both allowed and disallowed stays excluded (Doc 3 §2.1). */
function createDelivered(
  model: ContentModel,
  { allowedContentTypeAliases, disallowedContentTypeAliases, indexFields }: DeliverySettings,
  hasKey: boolean,
): Delivered {
  const allowed = new Set(allowedContentTypeAliases.map(lower))
  const disallowed = new Set(disallowedContentTypeAliases.map(lower))
  const types = model.types.filter((type) => {
    const alias = lower(type.singularName)
    if (!hasKey && !type.publicRead) return false
    return !disallowed.has(alias) && (allowed.size === 0 || allowed.has(alias))
  })
  const byAlias = new Map(types.map((type) => [lower(type.singularName), type]))
  const numbers = new Set(types.map(({ no }) => no))
  return {
    types,
    indexFields,
    // By number: an answer may hold entries of a model that came since.
    has: ({ no }) => numbers.has(no),
    findType: (alias) => byAlias.get(lower(alias)),
  }
}

const byName = new WeakMap<readonly Attribute[], ReadonlyMap<string, Attribute>>()

/** The attribute of a property that callers may know, whatever the case of its name. */
export function findProperty(
  { attributes }: Pick<ContentType, 'attributes'>,
  name: string,
): Attribute | undefined {
  const found = byName.get(attributes)
  if (found) return found.get(lower(name))
  const made = new Map(attributes.filter(isShown).map((each) => [lower(each.name), each]))
  byName.set(attributes, made)
  return made.get(lower(name))
}

/** With or without dashes, in whatever case; undefined when it is no UUID. */
export function parseUuid(text: string): string | undefined {
  const bare = /^[0-9a-f]{32}$/i.test(text)
    ? text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : text
  return isUuid(bare) ? bare.toLowerCase() : undefined
}

function lower(text: string): string {
  return text.toLowerCase()
}
