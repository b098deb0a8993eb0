/** Of one kind of question, model and level, in each of the two halves. */
const MOST_TEMPLATES = 200
const MOST_BYTES = 4 * 2 ** 20
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

/**
 * The plans of the templates asked last, by text. Templates come from outside, so they are held in two
 * halves: what was asked once is driven out by others asked once, and only what was asked again moves to
 * the half that these cannot touch.
 */
export function createPlanCache<Node>() {
  const once = createHalf<Item<Node>>()
  const again = createHalf<Item<Node>>()
  return { find, keep }

  function find(template: string): Node | undefined {
    const own = again.take(template) ?? once.take(template)
    if (own) again.put(template, own)
    return own?.node
  }

  /** `grow` adds a plan to what is known of the template. */
  function keep(template: string, bytes: number, grow: (node: Node | undefined) => Node): void {
    if (template.length > LONGEST_TEMPLATE) return
    const known = again.take(template)
    const own = known && known.ways < MOST_WAYS ? known : undefined
    const before = own ?? { bytes: 2 * template.length, ways: 0 }
    const half = known ? again : once
    half.put(template, {
      node: grow(own?.node),
      bytes: before.bytes + bytes + PLAN_BYTES,
      ways: before.ways + 1,
    })
  }
}

export type PlanCache<Node> = ReturnType<typeof createPlanCache<Node>>

/** What was used last, as far as there is room. */
function createHalf<Own extends { readonly bytes: number }>() {
  const items = new Map<string, Own>()
  let bytes = 0
  return { take, put }

  function take(key: string): Own | undefined {
    const own = items.get(key)
    if (own && items.delete(key)) bytes -= own.bytes
    return own
  }

  function put(key: string, own: Own): void {
    items.set(key, own)
    bytes += own.bytes
    for (const oldest of items.keys()) {
      if (items.size <= MOST_TEMPLATES && bytes <= MOST_BYTES) return
      take(oldest)
    }
  }
}
