const PRICE = /^(0|[1-9]\d{0,7})(?:\.(\d{1,2}))?$/

/** Exact cents of a price given as number or text (Doc 2 §2.1); undefined when it is none. */
export function parseCents(price: number | string): number | undefined {
  const [, whole, decimals = ''] = PRICE.exec(String(price)) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(decimals.padEnd(2, '0'))
}

export function renderCents(cents: number): number {
  return cents / 100
}
