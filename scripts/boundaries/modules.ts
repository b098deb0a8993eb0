const STORES = ['access', 'content', 'webhooks', 'scrapers', 'commerce']
const DIALECTS = ['delivery', 'jsonapi', 'cms', 'graphql', 'rest', 'commerce'].map(
  (name) => `interfaces/${name}`,
)
/** Open the installation before there is a module. */
const OPENERS = [
  ...[
    'platform-in-thread',
    'platform',
    'reset-secrets',
    'export-gateway',
    'examine',
    'backups',
    'stored-files',
  ],
]

/**
 * Who may import whom. Modules are the folders under `src/` (each content dialect its own) and the
 * files directly in it. `*` means everyone.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  access: ['kernel'],
  content: ['kernel'],
  webhooks: ['kernel'],
  scrapers: ['kernel', 'content'],
  commerce: ['kernel', 'content', 'access'],
  gateway: ['kernel', 'access'],
  'interfaces/delivery': ['kernel', 'access', 'content'],
  'interfaces/jsonapi': ['kernel', 'access', 'content'],
  'interfaces/cms': ['kernel', 'access', 'content'],
  'interfaces/graphql': ['kernel', 'access', 'content'],
  'interfaces/rest': ['kernel', 'access', 'content'],
  'interfaces/commerce': ['kernel', 'access', 'content', 'commerce'],
  config: ['kernel'],
  doctor: ['kernel'],
  transfer: ['kernel'],
  operation: ['kernel', 'transfer'],
  cli: ['kernel', 'config', 'doctor', 'server', 'scrape'],
  server: ['*'],
  app: ['*'],
  mounts: ['*'],
  worker: ['*'],
  'operation-metrics': ['kernel', 'config', 'transfer'],
  'latest-changes': ['kernel', 'content', 'operation'],
  'event-entries': ['access', 'content', 'interfaces/rest'],
  crawler: ['*'],
  platform: ['kernel', 'config', 'live-settings', 'platform-in-thread'],
  'platform-in-thread': ['kernel', 'shared-settings', 'transfer'],
  'live-settings': ['kernel', 'config', 'shared-settings'],
  'shared-settings': ['kernel', 'config'],
  'console-files': ['kernel'],
  'landing-page': ['kernel'],
  'recorded-examples': ['kernel', 'content', 'type-examples'],
  'type-examples': ['kernel', 'content'],
  ports: ['kernel', 'config'],
  'api-certificate': ['kernel', 'config'],
  'private-socket': ['kernel'],
  'reset-secrets': [
    ...['kernel', 'config', 'gateway', 'webhooks', 'scrapers', 'commerce', 'platform'],
  ],
  'export-gateway': ['kernel', 'config', 'gateway', 'platform', 'ports'],
  backups: ['kernel', 'config', 'content', 'transfer', 'platform', 'stored-files'],
  'stored-files': ['kernel', 'content', 'transfer'],
  examine: ['kernel', 'config', 'doctor', 'gateway', 'platform', 'ports'],
  scrape: ['kernel', 'config', 'scrapers', 'platform'],
  bin: ['cli'],
  migrations: ['kernel'],
  // What others build on: it knows the product only over the wire.
  client: [],
  examples: ['client'],
  test: ['*'],
}

/**
 * The kernel has a door for each of its folders. `#kernel` is open to everyone who may import the
 * kernel, these only to the modules beside them and to those that may import everything.
 */
const KERNEL_DOORS: Readonly<Record<string, readonly string[]>> = {
  '#bus': [
    ...STORES,
    'operation',
    'transfer',
    'operation-metrics',
    'gateway',
    ...OPENERS,
    'live-settings',
    'shared-settings',
  ],
  '#counters': ['access', 'gateway', 'platform'],
  '#counters-sql': ['migrations'],
  '#cron': ['scrapers', 'config', 'transfer', 'doctor'],
  '#db': [
    ...STORES,
    'operation',
    ...DIALECTS,
    'gateway',
    ...OPENERS,
    'live-settings',
    'migrations',
    'transfer',
    'operation-metrics',
  ],
  '#db-transfer': ['transfer', 'backups'],
  '#events': [...STORES, 'gateway', 'interfaces/rest', 'latest-changes'],
  '#http': [
    'operation',
    'operation-metrics',
    ...STORES,
    ...DIALECTS,
    'gateway',
    'console-files',
    'landing-page',
    'recorded-examples',
    'type-examples',
    'private-socket',
    'api-certificate',
  ],
  '#http-text': [...STORES, ...DIALECTS, 'gateway', 'private-socket', 'examine', 'console-files'],
  '#jobs': [...STORES, 'transfer'],
  '#journal': ['access', 'gateway', 'platform'],
  '#json-schema': ['gateway', 'webhooks'],
  '#paging': [...STORES, ...DIALECTS, 'operation'],
  '#queues': ['access', 'commerce', 'content', 'gateway'],
  '#secrets': [...STORES, 'gateway', ...OPENERS, 'live-settings', 'cli'],
  '#settings': ['access', 'live-settings', 'shared-settings'],
  '#threads': ['gateway', 'platform'],
  '#yaml': ['gateway', 'cli'],
  '#yaml-apart': ['gateway'],
}

/** More than a reader can keep in mind; a door with more is two. */
export const MOST_NAMES = 45

/** The files of every content dialect, each a file, a folder of its parts, or both. */
export const DIALECT_FILES: readonly string[] = [
  ...['index', 'deps', 'request', 'target', 'routes', 'schema', 'read', 'write', 'errors'],
]
/** Folders only. */
export const DIALECT_FOLDERS: readonly string[] = ['query', 'body', 'render']

/** Composes everything, so whoever imported it would depend on everything. */
const ONLY_FOR: Readonly<Record<string, readonly string[]>> = {
  app: ['server', 'test'],
  mounts: ['app'],
}

/** Files directly under `src/` that may import each other, and tests them, by relative path. */
export const ROOT_MODULES: readonly string[] = [
  'app',
  'mounts',
  'server',
  'worker',
  'operation-metrics',
  'event-entries',
  'latest-changes',
  'crawler',
  'platform',
  'platform-in-thread',
  'live-settings',
  'shared-settings',
  'console-files',
  'landing-page',
  'ports',
  'private-socket',
  'api-certificate',
  'reset-secrets',
  'export-gateway',
  'backups',
  'stored-files',
  'recorded-examples',
  'type-examples',
  'examine',
  'scrape',
  'config',
]

/** `src/webhooks/sign.ts` → `webhooks`; undefined for files that belong to no module. */
export function moduleOf(file: string): string | undefined {
  const [top = '', folder = '', dialect = ''] = file.split('/')
  if (top !== 'src')
    return ['bin', 'migrations', 'client', 'examples', 'test'].includes(top) ? top : undefined
  const name = folder.replace(/(\.test)?\.ts$/, '')
  return name === 'interfaces' ? `interfaces/${dialect}` : name
}

export function isTest(file: string): boolean {
  return file.startsWith('test/') || file.endsWith('.test.ts')
}

/** Whether the door, of a module that may be imported at all, is open to the importer. */
export function mayUse(importer: string, door: string): boolean {
  const users = KERNEL_DOORS[door] ?? ['*']
  const isRoot = MAY_IMPORT[importer]?.includes('*') ?? false
  return isRoot || users.includes('*') || users.includes(importer)
}

export function mayImport(importer: string, imported: string): boolean {
  const only = ONLY_FOR[imported]
  if (only) return only.includes(importer)
  const allowed = MAY_IMPORT[importer] ?? []
  return allowed.includes('*') || allowed.includes(imported)
}
