const NUMBER = new Intl.NumberFormat()
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

export function countOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : NUMBER.format(value)
}

/** 1,234,567 bytes are 1.2 MB. */
export function sizeOf(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** Whoever places an order need not say in which currency. */
export function moneyOf(amount: number, currency: string | null): string {
  if (currency === null) return amount.toFixed(2)
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount)
  } catch {
    return `${amount.toFixed(2)} ${currency}`
  }
}

/** -1 is without limit. */
export function limitOf(value: number, per: string): string {
  return value < 0 ? `No limit per ${per}` : `${countOf(value)} per ${per}`
}
