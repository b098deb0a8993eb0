import type { Picked } from '../query/picked.ts'

/** What is picked of a root field, without what arguments say. */
interface Template {
  readonly text: string
  /** Fields that take arguments, in the order in which these follow each other. */
  readonly withArguments: readonly Picked[]
}

const known = new WeakMap<readonly Picked[], Template>()

/** The same text for the same fields under the same names, whichever document picks them. */
export function templateOf(picked: readonly Picked[]): Template {
  const found = known.get(picked)
  if (found) return found
  const withArguments: Picked[] = []
  const text = `{${textOf(picked)}}`
  const made = { text, withArguments }
  known.set(picked, made)
  return made

  function textOf(fields: readonly Picked[]): string {
    return fields.map(fieldText).join()
  }

  function fieldText(field: Picked): string {
    const { key, name, parent, of } = field
    if (field.field && field.field.args.length > 0) withArguments.push(field)
    const own = `${key}:${parent}.${name}`
    if (field.meaning?.of === 'zone') {
      return `${own}{${field.kinds.map((kind) => `${kind}{${textOf(of(kind))}}`).join()}}`
    }
    const inner = of()
    return inner.length > 0 ? `${own}{${textOf(inner)}}` : own
  }
}
