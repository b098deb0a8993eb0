const SECRET_NAME = /authorization|cookie|token|secret|key|password/i

/** Values that are likely credentials are shown as `***` (webhooks contract §2.1). */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET_NAME.test(name) ? '***' : value]),
  )
}
