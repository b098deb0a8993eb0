import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Pair {
  readonly cert: string
  readonly key: string
}

/** An authority, and certificates that it has signed itself or through others. */
export function createAuthority(below: string) {
  const directory = mkdtempSync(join(below, 'authority-'))
  const at = (name: string) => join(directory, name)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' })
  const newKey = (name: string) =>
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', at(`${name}.key`))
  writeFileSync(at('ca.ext'), 'basicConstraints=critical,CA:TRUE')
  newKey('root')
  const subject = ['-subj', '/CN=root', '-days', '30']
  openssl('req', '-x509', '-new', '-key', at('root.key'), ...subject, '-out', at('root.pem'))
  return { ca: readFileSync(at('root.pem'), 'utf8'), caFile: at('root.pem'), issue }

  /** Through as many others as said, for these names (`DNS:a.test,IP:::1`). */
  function issue(name: string, { through = 0, names = '', days = 30 } = {}): Pair {
    const others = Array.from({ length: through }, (_, n) => `${name}-${n}`)
    let issuer = 'root'
    for (const other of others) {
      sign(other, issuer, 'ca.ext')
      issuer = other
    }
    const alternatives = names === '' ? '' : `\nsubjectAltName=${names}`
    writeFileSync(at('leaf.ext'), `basicConstraints=CA:FALSE${alternatives}`)
    sign(name, issuer, 'leaf.ext', days)
    const chain = [name, ...others.toReversed()].map((each) => readFileSync(at(`${each}.pem`)))
    return { cert: chain.join(''), key: readFileSync(at(`${name}.key`), 'utf8') }
  }

  function sign(name: string, issuer: string, extensions: string, days = 30) {
    newKey(name)
    openssl('req', '-new', '-key', at(`${name}.key`), '-subj', `/CN=${name}`, '-out', at('csr'))
    const by = ['-CA', at(`${issuer}.pem`), '-CAkey', at(`${issuer}.key`), '-CAcreateserial']
    const how = ['-days', String(days), '-extfile', at(extensions), '-out', at(`${name}.pem`)]
    openssl('x509', '-req', '-in', at('csr'), ...by, ...how)
  }
}
