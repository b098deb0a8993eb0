import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError } from './errors.ts'

/** As PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/**
 * A certificate and its key, each PEM or the path of a file; `setting` is who names them. What cannot be
 * read, is no PEM or does not belong together is an error that says so.
 */
export function readKeyPair(setting: string, { cert, key }: KeyPair): KeyPair {
  const pair = { cert: textOf(`${setting}.cert`, cert), key: textOf(`${setting}.key`, key) }
  if (!belongTogether(setting, pair)) {
    throw new OperatorError(`${setting}: the key does not belong to the certificate`)
  }
  return pair
}

function textOf(setting: string, given: string): string {
  if (given.includes('-----BEGIN')) return given
  try {
    return readFileSync(given, 'utf8')
  } catch (error) {
    throw new OperatorError(`${setting}: cannot read the file ${given}`, error)
  }
}

function belongTogether(setting: string, { cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    throw new OperatorError(`${setting}: the certificate or its key is not correct PEM`, error)
  }
}
