import { parse, type Selector } from 'css-what'

/** Those of the standard, which a browser knows too. */
const NATIVE = new Set(
  (
    'any-link checked disabled enabled link optional required nth-child nth-last-child nth-of-type ' +
    'nth-last-of-type root scope empty first-child last-child only-child first-of-type ' +
    'last-of-type only-of-type is where not has'
  ).split(' '),
)
const PSEUDO_CLASSES = new Set([
  ...NATIVE,
  ...(
    'button checkbox file header image input parent password radio reset selected submit text ' +
    'contains icontains matches'
  ).split(' '),
])

/** What is wrong with a CSS selector, to follow the name of its field, or null. */
export function checkSelector(text: string): string | null {
  return check(text, PSEUDO_CLASSES)
}

/** The same of a selector that a browser evaluates. */
export function checkNativeSelector(text: string): string | null {
  return check(text, NATIVE)
}

function check(text: string, known: ReadonlySet<string>): string | null {
  try {
    return (
      parse(text)
        .map((steps) => findWrong(steps, known))
        .find((wrong) => wrong !== null) ?? null
    )
  } catch {
    return 'is not a CSS selector'
  }
}

function findWrong(steps: readonly Selector[], known: ReadonlySet<string>): string | null {
  for (const step of steps) {
    const isForeign = step.type === 'attribute' && step.action === 'not' && known === NATIVE
    if (isForeign) return 'must say :not([name="value"]) instead of [name!="value"]'
    if (step.type === 'pseudo-element') return 'must not name a pseudo-element'
    if (step.type !== 'pseudo') continue
    if (!known.has(step.name)) return `has the unknown pseudo-class :${step.name}`
    if (!Array.isArray(step.data)) continue
    const inner = step.data.map((inner) => findWrong(inner, known)).find((wrong) => wrong !== null)
    if (inner) return inner
  }
  return null
}
