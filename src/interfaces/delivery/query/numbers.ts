const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?$/
/** Longer texts are no numbers of ours, and converting them would take time. */
const LONGEST = 60

/** A number between those that a column can hold: the next one below it, and whether it is that. */
export interface Boundary {
  readonly scaled: bigint
  readonly isExact: boolean
  /** The next one below it, as a decimal text. */
  readonly text: string
}

/** `scale` is the number of decimals of the column; undefined when the text is no number. */
export function parseBoundary(text: string, scale: number): Boundary | undefined {
  const [, sign, whole = '', fraction = ''] =
    (text.length <= LONGEST ? NUMBER.exec(text) : null) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const kept = fraction.slice(0, scale).padEnd(scale, '0')
  const isExact = !/[1-9]/.test(fraction.slice(scale))
  const size = BigInt(`${whole}${kept}` || '0')
  const isNegative = sign === '-'
  const scaled = isNegative ? -size - (isExact ? 0n : 1n) : size
  return { scaled, isExact, text: toText(scaled, scale) }
}

function toText(scaled: bigint, scale: number): string {
  if (scale === 0) return String(scaled)
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0')
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
