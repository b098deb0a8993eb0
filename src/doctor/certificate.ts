import { X509Certificate } from 'node:crypto'
import { type KeyPair, readKeyPair } from '#kernel'
import { type Finding, fault, ok, reasonOf, warning } from './finding.ts'

const DAY_MS = 24 * 60 * 60_000
/** Whatever renews certificates has tried several times by then. */
const SOON_DAYS = 14

/** Whether both parts that a setting names fit, and for how long they hold. */
export function checkKeyPair(setting: string, pair: KeyPair, nowMs: number): Finding {
  try {
    return checkCertificate(setting, readKeyPair(setting, pair).cert, nowMs)
  } catch (error) {
    const next = `Put a certificate and its own key where ${setting} says.`
    return fault(nameOf(setting), reasonOf(error), next)
  }
}

/** For how long a certificate holds; `where` it is kept. */
export function checkCertificate(where: string, pem: string, nowMs: number): Finding {
  const check = nameOf(where)
  const { validFromDate, validToDate } = new X509Certificate(pem)
  const until = validToDate.toISOString().slice(0, 10)
  const days = Math.floor((validToDate.getTime() - nowMs) / DAY_MS)
  const renew = `Renew it, and replace it in ${where}.`
  if (validFromDate.getTime() > nowMs) {
    const says = `it holds only from ${validFromDate.toISOString()} on`
    return fault(check, says, 'Look at the clock of this machine, or take another certificate.')
  }
  if (days < 0) return fault(check, `it has been invalid since ${until}`, renew)
  if (days < SOON_DAYS) return warning(check, `it ends in ${days} days, on ${until}`, renew)
  return ok(check, `it holds until ${until}`)
}

function nameOf(where: string): string {
  return `certificate (${where})`
}
