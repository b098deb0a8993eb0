import { type DocumentNode, execute, type FieldNode, Kind } from 'graphql'
import type { Prepared } from '../query/document.ts'
import type { Picked } from '../query/picked.ts'
import type { Asked } from '../request.ts'
import type { Answer } from './root.ts'

/** What answers say of a schema changes with the schema alone. */
const known = new WeakMap<FieldNode, string>()

/** `__schema` and `__type` are answered by the language itself, one root field at a time. */
export async function readIntrospection(
  { document, operation, schema }: Prepared,
  { variables }: Pick<Asked, 'variables'>,
  { key, node, nodes }: Picked,
): Promise<Answer> {
  const hasVariables = (operation.variableDefinitions ?? []).length > 0
  const text = known.get(node) ?? (await run())
  if (!hasVariables) known.set(node, text)
  return { write: () => text, typeNos: [] }

  async function run(): Promise<string> {
    const result = await execute({
      schema: schema.schema,
      document: withOnly(),
      variableValues: given(),
    })
    const shown = 'data' in result ? result.data?.[key] : undefined
    return JSON.stringify(shown ?? null)
  }

  /** As they were sent: the language reads them again. */
  function given(): Record<string, unknown> {
    const sent = Object.entries(variables?.sources ?? {})
    return Object.fromEntries(sent.map(([name, { value }]) => [name, value]))
  }

  function withOnly(): DocumentNode {
    const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes } as const
    const only = { ...operation, selectionSet }
    const rest = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
    return { ...document, definitions: [only, ...rest] }
  }
}
