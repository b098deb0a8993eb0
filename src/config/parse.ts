import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { OperatorError } from '#kernel'
import { accepts } from './accepts.ts'
import { type Catalogue, createCatalogue, valueAt } from './catalogue.ts'
import { type Collected, collect, type Environment, type Origin } from './collect.ts'
import { derive, type Machine } from './derive.ts'
import { readSettingsFile } from './file.ts'
import type { Settings } from './schema.ts'

/** All settings, frozen, and where each of them was set. */
export type Config = DeepReadonly<Settings> & {
  readonly origins: Readonly<Record<string, Origin>>
}

export interface ConfigInput {
  readonly env: Environment
  /** Where relative paths start and the default file lies. */
  readonly cwd: string
  /** The file named on the command line; wins over `ENTREPOT_CONFIG`. */
  readonly file?: string | undefined
  readonly machine?: Machine
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

/** The environment wins over the file, the file over defaults. Throws one error for all problems. */
export function parseConfig({ env, cwd, file: named, machine }: ConfigInput): Config {
  const catalogue = createCatalogue()
  const file = readSettingsFile(named ?? (env['ENTREPOT_CONFIG'] || undefined), cwd)
  const { values, problems } = collect(catalogue, file, env)
  if (problems.length > 0) throw refuse(problems)

  const known = complete(catalogue, values, machine ?? { cores: availableParallelism() })
  const settings = assemble(catalogue, known)
  const conflicts = findConflicts(settings)
  if (conflicts.length > 0) throw refuse(conflicts)

  const origins = Object.fromEntries([...known].map(([name, { origin }]) => [name, origin]))
  const config = { ...settings, dataDir: resolve(cwd, settings.dataDir), origins }
  if (file.path !== undefined) config.config = file.path
  // Paths are put behind it as they are.
  if (config.publicUrl !== undefined) config.publicUrl = new URL(config.publicUrl).origin
  return freeze(config)
}

function complete(
  catalogue: Catalogue,
  values: ReadonlyMap<string, Collected>,
  machine: Machine,
): ReadonlyMap<string, Collected> {
  const entries = catalogue.all.flatMap(({ name }) => {
    const found = find(name)
    return found ? [[name, found] as const] : []
  })
  return new Map(entries)

  function find(name: string): Collected | undefined {
    const set = values.get(name)
    if (set) return set
    const value = catalogue.byName.get(name)?.default
    return value === undefined ? derive(name, find, machine) : { value, origin: 'default' }
  }
}

function assemble(catalogue: Catalogue, known: ReadonlyMap<string, Collected>): Settings {
  const settings: Record<string, unknown> = {}
  for (const { path, name } of catalogue.all) {
    const [group = '', member] = path
    const value = structuredClone(known.get(name)?.value)
    const target = member === undefined ? settings : child(settings, group)
    if (value !== undefined) Reflect.set(target, member ?? group, value)
  }
  if (!isComplete(catalogue, settings)) {
    throw new Error('a default or derived setting does not fit its own schema')
  }
  return settings
}

function isComplete(catalogue: Catalogue, settings: object): settings is Settings {
  return catalogue.all.every((setting) => {
    const value = valueAt(settings, setting)
    return value === undefined ? setting.optional : accepts(setting.schema, value)
  })
}

function child(parent: Record<string, unknown>, name: string): object {
  const present = parent[name]
  if (typeof present === 'object' && present !== null) return present
  const created = {}
  parent[name] = created
  return created
}

/** Values that are right alone and wrong together. */
function findConflicts(settings: Settings): string[] {
  const { apiUrl, apiSecret, publicUrl, tls } = settings
  const conflicts = findPortConflicts(settings)
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    const missing = tls.cert === undefined ? 'tls.cert' : 'tls.key'
    conflicts.push(`tls.cert and tls.key belong together; ${missing} is not set`)
  }
  if (apiUrl !== undefined && apiSecret === undefined) {
    conflicts.push('api_url needs api_secret, the secret shared with the main API')
  }
  if (apiUrl !== undefined && URL.parse(apiUrl)?.pathname !== '/') {
    conflicts.push('api_url must not have a path: it is the address of the main API itself')
  }
  if (publicUrl !== undefined && !isOriginAlone(publicUrl)) {
    conflicts.push(
      'public_url must be scheme, host and port alone: the paths of the API cannot be moved, so let the proxy serve them from the root of a host',
    )
  }
  return conflicts
}

/** Threads of the gateway would share a port silently, and half of its connections would meet the wrong protocol. */
function findPortConflicts({ host, port, gateway, roles }: Settings): string[] {
  if (!roles.includes('gateway')) return []
  const all = [
    ...(roles.includes('api') ? [{ name: 'port', host, port }] : []),
    { name: 'gateway.port', host: gateway.host, port: gateway.port },
    { name: 'gateway.tls_port', host: gateway.host, port: gateway.tlsPort ?? 0 },
  ].filter(({ port }) => port !== 0)
  return all.flatMap((one, at) => {
    const same = all.slice(0, at).find((each) => each.port === one.port && each.host === one.host)
    return same ? [`${same.name} and ${one.name} are both ${one.port}; they must differ`] : []
  })
}

function isOriginAlone(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.href === `${url.origin}/`
}

function refuse(problems: readonly string[]): OperatorError {
  if (problems.length === 1) return new OperatorError(`Wrong configuration: ${problems[0]}`)
  const lines = problems.map((problem) => `  ${problem}`)
  return new OperatorError(
    [`Wrong configuration, ${problems.length} problems:`, ...lines].join('\n'),
  )
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freeze(member)
  }
  return Object.freeze(value)
}
