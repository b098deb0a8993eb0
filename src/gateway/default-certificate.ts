import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError } from '#kernel'
import type { KeyPair } from './protocol.ts'

const NAME = 'gateway.default_certificate'

/** The certificate for names that no stored one is for, each part PEM or the path of a file. */
export function readDefaultCertificate({ cert, key }: KeyPair): KeyPair {
  const pair = { cert: textOf('cert', cert), key: textOf('key', key) }
  if (!belongTogether(pair)) {
    throw new OperatorError(`${NAME}: the key does not belong to the certificate`)
  }
  return pair
}

function textOf(member: string, given: string): string {
  if (given.includes('-----BEGIN')) return given
  try {
    return readFileSync(given, 'utf8')
  } catch (error) {
    throw new OperatorError(`${NAME}.${member}: cannot read the file ${given}`, error)
  }
}

function belongTogether({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    throw new OperatorError(`${NAME}: the certificate or its key is not correct PEM`, error)
  }
}
