import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A self-signed certificate for these names, made anew so that no private key is kept anywhere. */
export function createCertificate(names: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = certificateBody(names, publicKey)
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, ECDSA_SHA256, tagged(0x03, Buffer.from([0]), signature))
  const base64 = der.toString('base64').replace(/(.{64})/g, '$1\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

// Object identifiers as DER: ecdsa-with-SHA256, commonName, subjectAltName.
const ECDSA_SHA256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'))
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const ALT_NAMES = Buffer.from('0603551d11', 'hex')

/** TBSCertificate of RFC 5280 §4.1, version 3, valid from 2020 to 2049. */
function certificateBody(names: readonly string[], publicKey: KeyObject): Buffer {
  const name = sequence(
    tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from('entrepot test')))),
  )
  const alternatives = sequence(...names.map((text) => tagged(0x82, Buffer.from(text))))
  const extension = sequence(ALT_NAMES, tagged(0x04, alternatives))
  return sequence(
    tagged(0xa0, Buffer.from('020102', 'hex')),
    tagged(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension)),
  )
}

function utcTime(text: string): Buffer {
  return tagged(0x17, Buffer.from(text))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
