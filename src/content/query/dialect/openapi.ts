export type Schema = Readonly<Record<string, unknown>>

export const TEXT: Schema = { type: 'string' }
export const TIME: Schema = { type: 'string', format: 'date-time' }
export const UUID: Schema = { type: 'string', format: 'uuid' }
export const INTEGER: Schema = { type: 'integer' }

export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** What is said of nothing takes null already. */
export function orNull(schema: Schema): Schema {
  if (Object.keys(schema).length === 0) return schema
  return { anyOf: [schema, { type: 'null' }] }
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}
