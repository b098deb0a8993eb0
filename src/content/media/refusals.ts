import { DomainError, unavailable } from '#kernel'

export function formTooLarge(message: string): DomainError {
  return new DomainError('too_large', 'payload_too_large', message)
}

export function fileTooLarge(maxBytes: number): DomainError {
  return formTooLarge(`A file may have at most ${Math.floor(maxBytes / (1024 * 1024))} MiB`)
}

export function diskFull(cause: unknown): DomainError {
  return unavailable('disk_full', 'There is no room for the file on the disk of the server', cause)
}
