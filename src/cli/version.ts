import { readFileSync } from 'node:fs'

/** The version in package.json, the only place that has it. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const manifest: unknown = JSON.parse(text)
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return '?'
  return String(manifest.version)
}
