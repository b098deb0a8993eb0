import Type, { type TSchema } from 'typebox'
import type { Issue } from '#kernel'

/** One member of a body: how the reference describes it, what it is when absent, and its check. */
export interface Member<Value> {
  readonly schema: TSchema
  readonly byDefault: Value
  /** The value in our form; what is wrong with it goes to `refuse`, and undefined comes back. */
  read(value: unknown, refuse: Refuse): Value | undefined
}

/**
 * `message` completes the sentence that starts with the field, or with `subject` where that is a
 * part of its value; `inside` is the path below the field.
 */
export type Refuse = (
  rule: string,
  message: string,
  inside?: readonly Key[],
  subject?: string,
) => undefined
type Key = string | number

export type Members = Readonly<Record<string, Member<unknown>>>

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S

/** What a body of these members becomes. */
export type Parsed<M extends Members> = {
  readonly [K in keyof M as Camel<K & string>]: M[K] extends Member<infer Value> ? Value : never
}

/** Collects all that is wrong with a body, so that its sender hears of everything at once. */
export function createProblems() {
  const issues: Issue[] = []
  return { issues, at }

  function at(path: readonly Key[]): Refuse {
    return (rule, message, inside = [], subject) => {
      const whole = [...path, ...inside]
      issues.push({ path: whole, rule, message: `${subject ?? whole.join('.')} ${message}` })
      return undefined
    }
  }
}

export type Problems = ReturnType<typeof createProblems>

interface Reading<M extends Members> {
  readonly members: M
  readonly body: Readonly<Record<string, unknown>>
  /** What members that are not given keep; absent: their defaults. */
  readonly base?: Parsed<M> | undefined
  readonly problems: Problems
  readonly path: readonly Key[]
  /** Names that are shown but cannot be set: sent back, they are passed over. */
  readonly passedOver?: ReadonlySet<string>
  /** Read back from the store: a value that a later rule refuses stays what it was. */
  readonly isStored?: boolean
}

/** Members that are absent keep the base, null resets them, unknown names are refused. */
export function readMembers<M extends Members>(reading: Reading<M>): Parsed<M>
export function readMembers(reading: Reading<Members>): Record<string, unknown> {
  const { members, body, base, problems, path, passedOver, isStored } = reading
  const known = new Map(Object.entries(members))
  for (const name of Object.keys(body)) {
    if (!known.has(name) && !passedOver?.has(name)) {
      problems.at([...path, name])('unknown', 'is not known here')
    }
  }
  const kept = new Map<string, unknown>(Object.entries(base ?? {}))
  return Object.fromEntries(
    [...known].map(([name, member]) => {
      const own = camelCase(name)
      const given = Object.hasOwn(body, name) ? body[name] : undefined
      if (given === undefined) return [own, base ? kept.get(own) : member.byDefault]
      if (given === null) return [own, member.byDefault]
      const read = member.read(given, problems.at([...path, name]))
      return [own, read === undefined && isStored ? given : read]
    }),
  )
}

/** Back to the names of the wire. */
export function writeMembers(members: Members, parsed: object): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(parsed))
  return Object.fromEntries(
    Object.keys(members).map((name) => [name, values.get(camelCase(name)) ?? null]),
  )
}

/** All members may be left out or null. */
export function schemaOf(members: Members): TSchema {
  return Type.Object(
    Object.fromEntries(
      Object.entries(members).map(([name, { schema, byDefault }]) => [
        name,
        Type.Optional(
          Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }], default: byDefault }),
        ),
      ]),
    ),
    { additionalProperties: false },
  )
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
