import { componentUid } from './definition.ts'
import type { ComponentDraft, TypeDraft } from './draft.ts'
import {
  graphqlComponentNames,
  graphqlName,
  graphqlNames,
  graphqlZoneNames,
  isBuiltInGraphqlName,
  isReservedGraphqlName,
} from './names.ts'

type Draft = TypeDraft | ComponentDraft

/**
 * Names that differ in the URL can be the same in GraphQL: `a-b` and `ab` are not, `a-b` and `a--b` are.
 * Asks of edited drafts whether a name they take there is taken by another or by the schemas themselves.
 */
export function findGraphqlClashes(
  types: readonly TypeDraft[],
  components: readonly ComponentDraft[],
): string[] {
  const drafts = [...types, ...components]
  const holders = new Map<string, Set<Draft>>()
  for (const draft of drafts) {
    for (const name of namesOf(draft)) {
      const known = holders.get(name)
      if (known) known.add(draft)
      else holders.set(name, new Set([draft]))
    }
  }
  return drafts.filter(({ edited }) => edited).flatMap(clashOf)

  function clashOf(draft: Draft): string[] {
    for (const name of namesOf(draft)) {
      const holder = isTaken(draft, name)
        ? 'a built-in type'
        : titleOf([...(holders.get(name) ?? [])].find((other) => other !== draft))
      if (holder) return [`In GraphQL ${titleOf(draft)} would be ${name}, like ${holder}`]
    }
    return []
  }
}

/** What follows from a name is compared with the very names of the schemas, not with their forms. */
function isTaken({ spec }: Draft, name: string): boolean {
  if ('category' in spec) return false
  const own = [graphqlName(spec.singularName), graphqlName(spec.pluralName)]
  return own.includes(name) ? isReservedGraphqlName(name) : isBuiltInGraphqlName(name)
}

function namesOf({ spec, attributes }: Draft): readonly string[] {
  if ('category' in spec) return graphqlComponentNames(spec)
  const { singularName, pluralName, localized } = spec
  const changes = localized ? [`${graphqlName(singularName)}Localization`] : []
  const zones = attributes
    .filter(({ options }) => options.type === 'dynamiczone')
    .flatMap(({ name }) => Object.values(graphqlZoneNames(singularName, name)))
  return [...graphqlNames(singularName), graphqlName(pluralName), ...changes, ...zones]
}

function titleOf(draft: Draft | undefined): string | undefined {
  if (!draft) return undefined
  const { spec } = draft
  if ('category' in spec) return `the component ${componentUid(spec)}`
  return `the content type ${spec.singularName}`
}
