import { DomainError, unavailable } from '#kernel'

const MIB = 1024 * 1024

export function formTooLarge(message: string): DomainError {
  return new DomainError('too_large', 'payload_too_large', message)
}

export function fileTooLarge(maxBytes: number): DomainError {
  const size = maxBytes < MIB ? `${maxBytes} bytes` : `${Math.floor(maxBytes / MIB)} MiB`
  return formTooLarge(`A file may have at most ${size}`)
}

export function diskFull(cause: unknown): DomainError {
  return unavailable('disk_full', 'There is no room for the file on the disk of the server', cause)
}
