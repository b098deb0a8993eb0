import { parse, type Selector } from 'css-what'

const PSEUDO_CLASSES = new Set(
  (
    'any-link button checkbox checked disabled enabled file header image input link optional parent ' +
    'password radio required reset selected submit text nth-child nth-last-child nth-of-type ' +
    'nth-last-of-type contains icontains root scope empty first-child last-child only-child ' +
    'first-of-type last-of-type only-of-type is matches where not has'
  ).split(' '),
)

/** What is wrong with a CSS selector, to follow the name of its field, or null. */
export function checkSelector(text: string): string | null {
  try {
    return (
      parse(text)
        .map(findWrong)
        .find((wrong) => wrong !== null) ?? null
    )
  } catch {
    return 'is not a CSS selector'
  }
}

function findWrong(steps: readonly Selector[]): string | null {
  for (const step of steps) {
    if (step.type === 'pseudo-element') return 'must not name a pseudo-element'
    if (step.type !== 'pseudo') continue
    if (!PSEUDO_CLASSES.has(step.name)) return `has the unknown pseudo-class :${step.name}`
    if (!Array.isArray(step.data)) continue
    const inner = step.data.map(findWrong).find((wrong) => wrong !== null)
    if (inner) return inner
  }
  return null
}
