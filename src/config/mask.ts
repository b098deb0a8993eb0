import type { Setting } from './catalogue.ts'

const MASK = '***'

const SECRET_PARAMETER = /pass|secret|token|key/i

/** The value as it may be shown: secrets as `***`, URLs without the password inside. */
export function mask(setting: Pick<Setting, 'secret' | 'isUrl'>, value: unknown): unknown {
  if (value === undefined) return undefined
  if (setting.secret) return MASK
  return setting.isUrl ? maskUrl(String(value)) : value
}

/** Text that is no URL is hidden whole: a mistyped one may hold its password anywhere. */
function maskUrl(text: string): string {
  if (!URL.canParse(text)) return MASK
  const url = new URL(text)
  if (url.password !== '') url.password = MASK
  for (const name of [...url.searchParams.keys()]) {
    if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, MASK)
  }
  return url.href
}
