import manifest from '../../package.json' with { type: 'json' }

/** The version in package.json, the only place that has it. */
export function version(): string {
  return manifest.version
}
