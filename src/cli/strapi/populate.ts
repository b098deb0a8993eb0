import type { Pair, Pairing } from './pairing.ts'

/** Parameters of a query: everything that does not come by itself, down to the last component. */
export function populateAll(pairs: readonly Pair[], { components }: Pairing): string[] {
  return pairs.flatMap((pair) => populateOne(pair, 'populate'))

  function populateOne({ name, attribute }: Pair, at: string): string[] {
    const here = `${at}[${name}]`
    switch (attribute['type']) {
      case 'relation':
      case 'media':
        return [`${here}[fields][0]=documentId`]
      case 'component':
        return populateComponent(String(attribute['component']), here)
      case 'dynamiczone':
        return listOf(attribute['components']).flatMap((uid) =>
          populateComponent(uid, `${here}[on][${uid}]`),
        )
      default:
        return []
    }
  }

  function populateComponent(uid: string, at: string): string[] {
    const inner = (components.get(uid) ?? []).flatMap((pair) =>
      populateOne(pair, `${at}[populate]`),
    )
    return inner.length > 0 ? inner : [`${at}=true`]
  }
}

/** Only the documents that these relations lead to. */
export function populateLinks(pairs: readonly Pair[]): string[] {
  return pairs.map(({ name }) => `populate[${name}][fields][0]=documentId`)
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
