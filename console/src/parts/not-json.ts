import { ApiError, type Detail } from '../api/errors.ts'

/** Text that is no JSON yet: it counts as a change, and whoever sends the form refuses it. */
export class NotJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Empty text is no value. */
export function parseJson(text: string): unknown {
  try {
    return text.trim() === '' ? null : JSON.parse(text)
  } catch {
    return new NotJson(text)
  }
}

/** Refuses, as the API would, what cannot be sent, at the field it stands in. */
export function refuseUnfinished(values: object): void {
  const details = unfinishedIn(values)
  if (details.length === 0) return
  const message = `Not saved: ${details.map(({ field }) => field).join(', ')} is not JSON yet`
  throw new ApiError(422, 'unfinished', message, details)
}

function unfinishedIn(value: unknown, path: readonly string[] = []): Detail[] {
  if (value instanceof NotJson) {
    return [{ field: path.join('.'), code: 'json', message: 'This is not JSON yet' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => unfinishedIn(inner, [...path, name]))
}
