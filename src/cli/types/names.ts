import type { Definitions } from './read.ts'

/** Names that mean something else in the file. */
const RESERVED = ['Content', 'Date']

/** The name of each interface: that of the type where it can be had, with a number where it is taken. */
export function createNames({ types, components }: Definitions) {
  const taken = new Set(RESERVED)
  const found = new Map<string, string>()
  for (const { singularName } of types) {
    name(`type ${singularName}`, pascalCase(singularName))
    name(`input ${singularName}`, `${pascalCase(singularName)}Input`)
  }
  for (const { uid } of components) {
    name(`component ${uid}`, `${pascalCase(uid)}Component`)
    name(`component input ${uid}`, `${pascalCase(uid)}ComponentInput`)
  }
  const urlNames = types.map(({ kind, singularName, pluralName }): [string, string] => [
    singularName,
    kind === 'singleType' ? singularName : pluralName,
  ])
  return {
    ofType: (singularName: string) => get(`type ${singularName}`),
    ofInput: (singularName: string) => get(`input ${singularName}`),
    ofComponent: (uid: string) => get(`component ${uid}`),
    ofComponentInput: (uid: string) => get(`component input ${uid}`),
    /** By singular name: what stands in URLs. */
    urlNames: new Map(urlNames),
  }

  function name(of: string, wanted: string): void {
    let free = wanted
    for (let number = 2; taken.has(free); number++) free = `${wanted}${number}`
    taken.add(free)
    found.set(of, free)
  }

  /** A component that was not in the answer is of a model that has just changed. */
  function get(of: string): string {
    return found.get(of) ?? 'unknown'
  }
}

export type Names = ReturnType<typeof createNames>

function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(joined) ? joined : `Type${joined}`
}
