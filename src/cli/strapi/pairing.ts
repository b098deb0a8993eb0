import type { Attributes, Definitions } from '../types/read.ts'
import type { Json, SourceModel, SourceType } from './schema.ts'

/** An attribute there and what it is called here. */
export interface Pair {
  readonly name: string
  readonly as: string
  readonly attribute: Json
}

export interface PairedType extends SourceType {
  readonly pairs: readonly Pair[]
}

export interface Pairing {
  readonly types: readonly PairedType[]
  /** By uid. */
  readonly components: ReadonlyMap<string, readonly Pair[]>
}

/** What of the source has a counterpart here, after its schemas were imported. */
export function pairUp(source: SourceModel, { types, components }: Definitions): Pairing {
  return {
    types: source.types.flatMap((type) => {
      const own = types.find(({ singularName }) => singularName === type.singularName)
      return own ? [{ ...type, pairs: pairsOf(type.attributes, own.attributes) }] : []
    }),
    components: new Map(
      [...source.components].flatMap(([uid, attributes]) => {
        const own = components.find((each) => each.uid === uid)
        return own ? [[uid, pairsOf(attributes, own.attributes)] as const] : []
      }),
    ),
  }
}

/** A reserved name got `field_` in front of it (decision 122). */
function pairsOf(there: Readonly<Record<string, Json>>, here: Attributes): Pair[] {
  return Object.entries(there).flatMap(([name, attribute]) => {
    const renamed = `field_${name.replaceAll(/\W/g, '_')}`.slice(0, 60)
    const as = [name, renamed].find((each) => Object.hasOwn(here, each))
    return as === undefined || !isReadable(attribute) ? [] : [{ name, as, attribute }]
  })
}

/** What the API of the source shows at all. */
export function isReadable({ type, private: isPrivate }: Json): boolean {
  return type !== 'password' && isPrivate !== true
}

/** Links are stored at one end only; from the other one there is an order to keep. */
export function isInverse({ type, mappedBy }: Json): boolean {
  return type === 'relation' && typeof mappedBy === 'string'
}

export function isToMany({ relation }: Json): boolean {
  return typeof relation === 'string' && relation.endsWith('ToMany')
}
