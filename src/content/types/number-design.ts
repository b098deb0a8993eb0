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
    types: design.types.map((type) => ({
      ...renumber(type, numbered),
      definition: { ...type.definition, attributes: type.definition.attributes.map(number) },
    })),
    components: design.components.map((component) => ({
      ...renumber(component, numbered),
      definition: {
        ...component.definition,
        attributes: component.definition.attributes.map(number),
      },
    })),
  }

  function number(attribute: Attribute): Attribute {
    const no = numbered(attribute.no)
    if (attribute.type !== 'relation') return { ...attribute, no }
    return { ...attribute, no, linkNo: numbered(attribute.linkNo) }
  }
}

function renumber<D, B>(
  { definition, before, converted }: Designed<D, B>,
  numbered: (no: number) => number,
): Designed<D, B> {
  const moved = [...converted].map(([no, attribute]) => [numbered(no), attribute] as const)
  return { definition, before, converted: new Map(moved) }
}
