/** Of one kind of question, model and level. */
const MOST_TEMPLATES = 400
const MOST_BYTES = 8 * 2 ** 20
/** Longer templates are seldom sent twice. */
const LONGEST_TEMPLATE = 8_000
/** Ways through one template: values that look different. */
const MOST_WAYS = 100
/** What a plan takes besides its statements, about. */
const PLAN_BYTES = 8 * 2 ** 10

interface Item<Node> {
  readonly node: Node
  readonly bytes: number
  readonly ways: number
}

export interface PlanCache<Node> {
  find(template: string): Node | undefined
  /** `grow` adds a plan to what is known of the template. */
  keep(template: string, bytes: number, grow: (node: Node | undefined) => Node): void
}

/**
 * The plans of the templates asked last, by text. Templates come from outside, so they are held in two
 * halves: what was asked once is driven out by others asked once, and only what was asked again moves to
 * the half that these cannot touch.
 */
export function createPlanCache<Node>(): PlanCache<Node> {
  const once = createHalf<Item<Node>>()
  const again = createHalf<Item<Node>>()
  return { find, keep }

  function find(template: string): Node | undefined {
    const own = again.take(template) ?? once.take(template)
    if (!own) return undefined
    // What no longer fits there is among those asked once again.
    for (const [key, item] of again.put(template, own)) once.put(key, item)
    return own.node
  }

  function keep(template: string, bytes: number, grow: (node: Node | undefined) => Node): void {
    if (template.length > LONGEST_TEMPLATE) return
    const half = again.has(template) ? again : once
    const known = half.take(template)
    const own = known && known.ways < MOST_WAYS ? known : undefined
    half.put(template, {
      node: grow(own?.node),
      bytes: (own?.bytes ?? 2 * template.length) + bytes + PLAN_BYTES,
      ways: (own?.ways ?? 0) + 1,
    })
  }
}

function createHalf<Own extends { readonly bytes: number }>() {
  const items = new Map<string, Own>()
  let bytes = 0
  return { has: (key: string) => items.has(key), take, put }

  function take(key: string): Own | undefined {
    const own = items.get(key)
    if (!own) return undefined
    items.delete(key)
    bytes -= own.bytes
    return own
  }

  /** What had to go for it, the oldest first. */
  function put(key: string, own: Own): [string, Own][] {
    const gone: [string, Own][] = []
    items.set(key, own)
    bytes += own.bytes
    for (const oldest of items.keys()) {
      if (items.size <= MOST_TEMPLATES / 2 && bytes <= MOST_BYTES / 2) break
      const left = take(oldest)
      if (left) gone.push([oldest, left])
    }
    return gone
  }
}
