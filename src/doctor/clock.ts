import { type Finding, fault, ok, warning } from './finding.ts'

const CHECK = 'clock'
/** A minute of a limit begins at another time on each side by this much. */
const UNEQUAL_MS = 1_000
/** Tokens and signatures of others are refused by then. */
const WRONG_MS = 30_000

/** The clock of this machine beside that of a service all nodes share. */
export function checkClock(service: string, theirsMs: number, oursMs: number): Finding {
  const differenceMs = Math.abs(theirsMs - oursMs)
  const says = `${(differenceMs / 1000).toFixed(1)} s from that of ${service}`
  const next = 'Let both machines follow a time server, for example: timedatectl set-ntp true'
  if (differenceMs > WRONG_MS) return fault(CHECK, says, next)
  return differenceMs > UNEQUAL_MS ? warning(CHECK, says, next) : ok(CHECK, says)
}
