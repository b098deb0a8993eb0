import { DomainError, type ErrorKind } from '#kernel'

/** What is wrong, as clients of this dialect read it: `%name` stands for a parameter. */
export interface Fault {
  readonly message: string
  readonly parameters?: Readonly<Record<string, string>> | readonly string[]
}

/** All faults of one input; the message of the error is the text with its parameters filled in. */
export function refused(
  faults: Fault | readonly Fault[],
  kind: ErrorKind = 'invalid',
  code = 'validation_error',
): DomainError {
  const list = [faults].flat()
  const message = list.map(textOf).join(' ')
  return new DomainError(kind, code, message, { facts: { faults: list } })
}

export function missing(fieldName: string): Fault {
  return { message: '"%fieldName" is required.', parameters: { fieldName } }
}

export function wrongType(fieldName: string, value: unknown, type: string): Fault {
  return {
    message: '"%fieldName" must be %type, got "%value".',
    parameters: { fieldName, value: shown(value), type },
  }
}

export function unknownProduct(sku: string): DomainError {
  const fault = { message: 'There is no product with the SKU "%sku".', parameters: { sku } }
  return refused(fault, 'not_found', 'product_not_found')
}

/** Without the quotes that JSON puts around texts, and never long. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

function textOf({ message, parameters = {} }: Fault): string {
  const given = Array.isArray(parameters)
    ? parameters.map((value, at) => [String(at + 1), value] as const)
    : Object.entries(parameters)
  const values = new Map<string, string>(given)
  return message.replaceAll(/%(\w+)/g, (written, name) => values.get(name) ?? written)
}
