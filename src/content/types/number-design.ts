import type { Attribute } from '../model.ts'
import type { Design, Designed } from './design.ts'

/** The design with real numbers in place of those below zero; `take` gives as many as are needed. */
export async function numberDesign(
  design: Design,
  take: (count: number) => Promise<readonly number[]>,
): Promise<Design> {
  const sets = [...design.types, ...design.components]
  const open = sets.flatMap(({ definition }) => definition.attributes).filter(({ no }) => no < 0)
  const taken = open.length > 0 ? await take(open.length) : []
  const real = new Map(open.map(({ no }, index) => [no, taken[index] ?? no]))
  const numbered = (no: number) => real.get(no) ?? no
  return {
    ...design,
    types: design.types.map(renumber),
    components: design.components.map(renumber),
  }

  function renumber<
    D extends { readonly attributes: readonly Attribute[] },
    B extends { readonly definition: D },
  >(set: Designed<D, B>): Designed<D, B> {
    const { definition, before, converted } = set
    if (definition === before?.definition) return set
    const moved = [...converted].map(([no, attribute]) => [numbered(no), attribute] as const)
    const attributes = definition.attributes.map(number)
    return { definition: { ...definition, attributes }, before, converted: new Map(moved) }
  }

  function number(attribute: Attribute): Attribute {
    const no = numbered(attribute.no)
    if (attribute.type !== 'relation') return { ...attribute, no }
    return { ...attribute, no, linkNo: numbered(attribute.linkNo) }
  }
}
