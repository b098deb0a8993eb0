const UNRESERVED = /[A-Za-z0-9\-._~]/

/** RFC 3986 §6.2.2: letters of escapes in upper case, nothing escaped that need not be. */
export function normalisePercent(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (octet, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16))
    return UNRESERVED.test(character) ? character : octet.toUpperCase()
  })
}
