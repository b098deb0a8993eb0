/** One step: a name, a number, `*` for all members, or `..` before a name for every depth. */
type Step =
  | { readonly kind: 'name'; readonly name: string; readonly isDeep: boolean }
  | { readonly kind: 'all' }

const STEP =
  /(\.\.)?(?:\.?([\p{L}\p{N}_$-]+)|\[\s*(\d+)\s*\]|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\])|\.?(\*)|\[\s*(\*)\s*\]/uy
const MOST_STEPS = 20
const MOST_FOUND = 100
/** Objects and lists that one path is looked for in, however often it says `..`. */
const MOST_LOOKED_AT = 100_000

/** A path as JSONPath writes it, without filters and slices; undefined when it is another. */
export function parseJsonPath(text: string): readonly Step[] | undefined {
  if (!text.startsWith('$')) return undefined
  const steps: Step[] = []
  let at = 1
  while (at < text.length) {
    STEP.lastIndex = at
    const [whole = '', deep, bare, index, single, double, star, starred] = STEP.exec(text) ?? []
    if (whole === '' || steps.length === MOST_STEPS) return undefined
    at += whole.length
    const quoted = single ?? double
    const name = bare ?? index ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? ''
    if (star !== undefined || starred !== undefined) steps.push({ kind: 'all' })
    else steps.push({ kind: 'name', name, isDeep: deep !== undefined })
  }
  return steps
}

/** What lies at a path, in the order of the document; what is no text, number or truth value is left out. */
export function findAt(value: unknown, steps: readonly Step[]): readonly string[] {
  const looked = { left: MOST_LOOKED_AT }
  let found: readonly unknown[] = [value]
  for (const step of steps) {
    const next: unknown[] = []
    for (const each of found) {
      for (const one of follow(each, step, looked)) if (next.length < MOST_FOUND) next.push(one)
      if (next.length === MOST_FOUND) break
    }
    found = next
  }
  return found.flatMap((each) =>
    ['string', 'number', 'boolean'].includes(typeof each) ? [String(each)] : [],
  )
}

function follow(value: unknown, step: Step, looked: { left: number }): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return []
  if (step.kind === 'all') return Object.values(value)
  return step.isDeep ? followDeep(value, step.name, looked) : own(value, step.name)
}

/** Without a call for each depth: documents may be deeper than calls can be. */
function* followDeep(from: object, name: string, looked: { left: number }): Generator<unknown> {
  const open: unknown[] = [from]
  while (open.length > 0 && looked.left > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    looked.left--
    yield* own(value, name)
    for (const inner of Object.values(value).reverse()) open.push(inner)
  }
}

function own(value: object, name: string): readonly unknown[] {
  const found = Object.getOwnPropertyDescriptor(value, name)
  return found?.enumerable ? [found.value] : []
}
