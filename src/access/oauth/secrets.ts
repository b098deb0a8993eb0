import type { Random } from '#kernel'

const TOKEN = /^at_[A-Za-z0-9]{48}$/
const CLIENT_ID = /^cl_[A-Za-z0-9]{24}$/

/** Access contract §1.3; whatever has another form was never issued. */
export function isRawToken(text: string): boolean {
  return TOKEN.test(text)
}

export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text)
}

export function createRawToken(random: Random): string {
  return `at_${random.text(48)}`
}

/** Public, and never given twice. */
export function createClientId(random: Random): string {
  return `cl_${random.text(24)}`
}

export function createClientSecret(random: Random): string {
  return `cs_${random.text(48)}`
}
