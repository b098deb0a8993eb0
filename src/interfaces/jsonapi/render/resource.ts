interface Parts {
  readonly type: string
  readonly id: string
  /** Begins with the view's base; the names and ids behind it need no escaping. */
  readonly self: string
  /** The insides of the objects. */
  readonly attributes: string
  readonly relationships?: string
}

export function renderResource({ type, id, self, attributes, relationships }: Parts): string {
  const head = `{"type":"${type}","id":"${id}","links":{"self":{"href":"${self}"}}`
  const values = attributes === '' ? '' : `,"attributes":{${attributes}}`
  const related = relationships ? `,"relationships":{${relationships}}` : ''
  return `${head}${values}${related}}`
}
