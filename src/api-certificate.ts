/** TLS on the API itself: the certificate it starts with, and the ones that replace its files later. */
import { Server } from 'node:tls'
import type { Config } from '#config'
import type { HttpApp } from '#http'
import { type KeyPair, type Log, OperatorError, readKeyPair } from '#kernel'

/** Two small files are read this often: a notice of the system gets lost where links are exchanged. */
const LOOK_EVERY_MS = 2_000
const NOT_REPLACED =
  'the certificate of the API was not replaced; put a certificate and its own key into both files: until then the last pair is in force'

/** What `tls.cert` and `tls.key` hold now; null without them. */
export function readApiCertificate({ tls: { cert, key } }: Config): KeyPair | null {
  return cert === undefined || key === undefined ? null : readKeyPair('tls', { cert, key })
}

/**
 * New connections get the new pair as soon as both files fit together; connections that are open keep theirs.
 * A pair that does not fit leaves the last one in force, and the log says once what is wrong with it.
 */
export function followApiCertificate(config: Config, http: HttpApp, log: Log): () => void {
  if (!(http.server instanceof Server)) return () => {}
  const server: Server = http.server
  let current = readApiCertificate(config)
  let lastProblem = ''
  let told = ''
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)

  function look(): void {
    try {
      const found = readApiCertificate(config)
      if (found === null || isSame(found, current)) return
      server.setSecureContext({ ...found, minVersion: 'TLSv1.2' })
      current = found
      lastProblem = ''
      told = ''
      log.info({ cert: config.tls.cert }, 'the certificate of the API was replaced')
    } catch (error) {
      tell(error)
    }
  }

  /** Whoever replaces two files passes through a state that does not fit: only what stays is told, once. */
  function tell(error: unknown): void {
    const problem = error instanceof OperatorError ? error.message : String(error)
    if (problem === lastProblem && problem !== told) {
      log.error({ problem }, NOT_REPLACED)
      told = problem
    }
    lastProblem = problem
  }
}

function isSame(one: KeyPair, other: KeyPair | null): boolean {
  return one.cert === other?.cert && one.key === other.key
}
