import type { NumberAttribute } from '../../model.ts'

/** The parts of a number's text: digits without leading zeros, and how many of them are fraction. */
interface Digits {
  readonly negative: boolean
  readonly digits: string
  readonly fraction: number
}

const DEFAULT_SCALE = 2

/** How many digits of a decimal are fraction. */
export function scaleOf({ scale = DEFAULT_SCALE }: Pick<NumberAttribute, 'scale'>): number {
  return scale
}

/** The integer `text` times 10^scale, exactly; undefined when digits would be lost. */
export function scaleText(text: string, scale: number): bigint | undefined {
  const { negative, digits, fraction } = split(text)
  const missing = scale - fraction
  // More zeros than any decimal has; padding with them would only take time.
  if (digits === '0') return 0n
  if (missing < 0 || missing > 30) return undefined
  const scaled = BigInt(digits) * 10n ** BigInt(missing)
  return negative ? -scaled : scaled
}

function split(text: string): Digits {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const all = whole + fraction
  const kept = all.replace(/0+$/, '')
  return {
    negative: sign === '-',
    digits: kept.replace(/^0+/, '') || '0',
    fraction: fraction.length - (all.length - kept.length) - Number(exponent),
  }
}
