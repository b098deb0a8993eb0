import type { ContentModel } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import { type Outcome, Slot, type Values } from './slot.ts'

/**
 * A question taken apart by the grammar of its dialect. `read` makes of the template what is asked; it is
 * given a slot for each value, and must depend on nothing but these, the model, the owner and the template.
 */
export interface Question<Read> {
  readonly model: ContentModel
  /** An object that the reading depends on besides the model, such as settings. */
  readonly owner?: object
  readonly template: string
  readonly values: Values
  read(slots: Slots): Read
}

/** The values of a question by their number. */
export interface Slots {
  text(at: number): Slot<string>
  whole(at: number): Slot<number>
  list(at: number): Slot<readonly string[]>
}

/** A question that is ready to be asked; `read` and `plan` are those of its template. */
export interface Prepared<Read, Plan> {
  readonly read: Read
  readonly plan: Plan
  readonly values: Values
  readonly asker: Viewer['asker']
}

interface Planning<Asked, Plan> {
  model(): ContentModel
  make(viewer: Viewer, asked: Asked): Plan
  /** Of its statements. */
  sizeOf(plan: Plan): number
}

/** Looks in the order in which they were taken; what each saw leads to the next, the last to the plan. */
type Node<Found> =
  | { readonly see: (values: Values) => Outcome; readonly next: Map<Outcome, Node<Found>> }
  | { readonly found: Found }

/**
 * Plans by template. Guaranteed: a plan is found only for a question of the same template, model and level
 * whose values show the same in every look that reading, resolving and compiling took at them; values are
 * seen in no other way. A question that is refused leaves nothing: it is read, and refused, each time.
 */
export function createTemplates<Read extends Asked, Asked, Plan>({
  model,
  make,
  sizeOf,
}: Planning<Asked, Plan>) {
  type Found = Omit<Prepared<Read, Plan>, 'values' | 'asker'>
  type Levels = Map<Viewer['level'] | 'unused', PlanCache<Node<Found>>>
  const owners = new WeakMap<object, Levels>()
  return prepare

  function prepare(viewer: Viewer, question: Question<Read>): Prepared<Read, Plan> {
    const { template, values } = question
    const { asker } = viewer
    const cache = cacheFor(viewer, question)
    const root = cache.find(template)
    const known = root && walk(root, values)
    if (known) return { ...known, values, asker }
    const { slots, looks, close } = createTracing(values)
    const read = question.read(slots)
    const found = { read, plan: make(viewer, read) }
    close()
    // The model may have been swapped since the dialect took it, and the plan be made of both.
    if (model() === question.model && looks.length <= MOST_LOOKS) {
      cache.keep(template, sizeOf(found.plan), (node) => grown(node, looks, found))
    }
    return { ...found, values, asker }
  }

  function cacheFor({ level, seesUnusedFiles }: Viewer, { model: of, owner = of }: Question<Read>) {
    const levels: Levels = owners.get(owner) ?? new Map()
    owners.set(owner, levels)
    const sight = level ?? (seesUnusedFiles ? 'unused' : null)
    const cache = levels.get(sight) ?? createPlanCache()
    levels.set(sight, cache)
    return cache
  }
}

/** A plan that depends on more costs as much to find as to make, and a thousand times its memory. */
const MOST_LOOKS = 5_000

/** Undefined also when a look fails: the reading then fails in the same place. */
function walk<Found>(root: Node<Found>, values: Values): Found | undefined {
  let node: Node<Found> | undefined = root
  try {
    while (node && 'see' in node) node = node.next.get(node.see(values))
  } catch {
    return undefined
  }
  return node?.found
}

interface Look {
  readonly see: (values: Values) => Outcome
  readonly outcome: Outcome
}

function grown<Found>(
  node: Node<Found> | undefined,
  looks: readonly Look[],
  found: Found,
  from = 0,
): Node<Found> {
  const look = looks[from]
  if (!look) return { found }
  const own = node && 'see' in node ? node : { see: look.see, next: new Map() }
  own.next.set(look.outcome, grown(own.next.get(look.outcome), looks, found, from + 1))
  return own
}

function listAt(values: Values, at: number): readonly string[] {
  const list = values[at]
  return typeof list === 'object' ? list : []
}

function createTracing(values: Values) {
  const looks: Look[] = []
  let current: Values | null = values
  const slots: Slots = {
    text: (at) => new Slot((all) => String(all[at]), look),
    whole: (at) => new Slot((all) => Number(all[at]), look),
    list: (at) => new Slot((all) => listAt(all, at), look),
  }
  return { slots, looks, close }

  function look<Seen extends Outcome>(see: (values: Values) => Seen): Seen {
    if (!current) throw new Error('a value was looked at when its plan was made already')
    const outcome = see(current)
    looks.push({ see, outcome })
    return outcome
  }

  /** The values of the first question are not kept with the plan. */
  function close() {
    current = null
  }
}

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
function createPlanCache<Node>() {
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

type PlanCache<Node> = ReturnType<typeof createPlanCache<Node>>

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
