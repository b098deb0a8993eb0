import { DomainError } from '#kernel'

export function formTooLarge(message: string): DomainError {
  return new DomainError('too_large', 'payload_too_large', message)
}

export function fileTooLarge(maxBytes: number): DomainError {
  return formTooLarge(`A file may have at most ${Math.floor(maxBytes / (1024 * 1024))} MiB`)
}
