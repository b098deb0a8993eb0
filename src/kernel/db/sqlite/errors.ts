/** An error of SQLite or of a storage thread; `errcode` is SQLite's extended result code. */
export class StorageError extends Error {
  readonly code: string
  readonly errcode: number

  constructor(code: string, message: string, errcode = 0) {
    super(message)
    this.name = 'StorageError'
    this.code = code
    this.errcode = errcode
  }
}
