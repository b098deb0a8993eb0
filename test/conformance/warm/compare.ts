import assert from 'node:assert/strict'
import { ADMIN_KEY } from '#test-kit'
import type { Template } from './templates.ts'
import { createAsking, type Headers, type Told, type Twins } from './twins.ts'

const KEYED: Headers = { 'x-api-key': ADMIN_KEY }
/** By whom the first values are asked, in turn: the next question is somebody else's. */
const OTHERS: readonly Headers[] = [
  {},
  KEYED,
  { host: 'other.example.org' },
  { 'response-format': 'flat', 'accept-language': 'de' },
]
const AT_ONCE = 6

export interface Compared {
  /** How many answers were held against those of a fresh server. */
  readonly answers: number
  readonly statuses: ReadonlyMap<number, number>
}

/**
 * The warm server is asked two values of each template, the first by somebody else too. Then both are
 * asked others, the cold one nothing before them: they must answer alike byte for byte, and the warm one
 * alike the second time.
 */
export async function compareAll(
  { warm, cold }: Twins,
  templates: readonly Template[],
  valuesOf: (at: number) => readonly string[],
): Promise<Compared> {
  const sides = { warm: createAsking(warm), cold: createAsking(cold) }
  const statuses = new Map<number, number>()
  let answers = 0
  let next = 0
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    for (const side of [sides.warm, sides.cold]) side.close()
  }
  return { answers, statuses }

  async function work(): Promise<void> {
    while (next < templates.length) {
      const at = next++
      const template = templates[at]
      if (template) await compare(template, at)
    }
  }

  async function compare({ dialect, url, values }: Template, at: number): Promise<void> {
    const own = dialect === 'rest' || at % 5 === 0 ? KEYED : {}
    const headers = at % 3 === 0 ? { ...own, 'response-format': 'flat' } : own
    const other = OTHERS[at % OTHERS.length] ?? {}
    const [first, second] = values
    await sides.warm.ask(url(first), dialect === 'rest' ? { ...other, ...KEYED } : other)
    for (const value of [first, second]) await sides.warm.ask(url(value), headers)
    for (const value of valuesOf(at)) {
      const path = url(value)
      const expected = await sides.cold.ask(path, headers)
      const told = await sides.warm.ask(path, headers)
      assertAlike(told, expected, path, headers)
      if (at % 4 === 0) assertAlike(await sides.warm.ask(path, headers), expected, path, headers)
      answers++
      statuses.set(told.status, (statuses.get(told.status) ?? 0) + 1)
    }
  }
}

function assertAlike(told: Told, expected: Told, path: string, headers: Headers): void {
  const question = `${path} ${JSON.stringify(headers)}`
  assert.ok(expected.status < 500, `${question}: ${expected.status} ${expected.body}`)
  assert.deepEqual(told, expected, question)
}
