import { OperatorError } from '#kernel'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory',
}

/** A file that an argument names. */
export function unreadable(path: string, error: unknown): OperatorError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new OperatorError(`${path} cannot be read: ${REASONS[code] ?? String(error)}`, error)
}
