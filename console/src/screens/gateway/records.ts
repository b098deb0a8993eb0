export const ADMIN = '/gateway/admin'

/** One object of the configuration, whatever its kind. */
export interface GatewayObject {
  readonly key: string
  readonly value: GatewayValue
  readonly modifiedIndex: number
}

export interface GatewayValue {
  readonly id?: string | undefined
  readonly username?: string | undefined
  readonly name?: string | undefined
  readonly desc?: string | undefined
  readonly uri?: string | undefined
  readonly uris?: readonly string[] | undefined
  readonly host?: string | undefined
  readonly hosts?: readonly string[] | undefined
  readonly methods?: readonly string[] | undefined
  readonly status?: number | undefined
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  readonly upstream?: Readonly<Record<string, unknown>> | undefined
  readonly upstream_id?: string | undefined
  readonly service_id?: string | undefined
  readonly nodes?: unknown | undefined
  readonly snis?: readonly string[] | undefined
  readonly sni?: string | undefined
  readonly update_time?: number | undefined
  readonly [member: string]: unknown
}

export interface ObjectPage {
  readonly total: number
  readonly list: readonly GatewayObject[]
}

export const KINDS = {
  routes: {
    ...{ many: 'Routes', one: 'Route', what: 'A route says which requests go where.' },
    first:
      'Name a path such as /shop/* and the host that answers; it holds from the next request on.',
  },
  services: {
    ...{ many: 'Services', one: 'Service', what: 'What several routes have in common.' },
    first:
      'Routes that name a service take its upstream and its plugins, so they are changed in one place.',
  },
  upstreams: {
    ...{ many: 'Upstreams', one: 'Upstream', what: 'Where requests are answered.' },
    first:
      'Several hosts that share the requests; those that fail a check are left out until they are well.',
  },
  consumers: {
    ...{ many: 'Consumers', one: 'Consumer', what: 'Who calls, by plugins that ask for it.' },
    first: 'A name with what it signs in by, such as a key of key-auth, and plugins of its own.',
  },
  global_rules: {
    ...{ many: 'Global rules', one: 'Global rule', what: 'Plugins for every request.' },
    first:
      'For what no route should have to think of: request ids, access from some networks only, metrics.',
  },
  plugin_configs: {
    many: 'Plugin configs',
    one: 'Plugin config',
    what: 'Plugins that several routes share.',
    first: 'Write a set of plugins once and name it in each route by plugin_config_id.',
  },
  ssls: {
    ...{ many: 'Certificates', one: 'Certificate', what: 'For names that are served by TLS.' },
    first:
      'Paste a certificate and its private key; the name a client asks for decides which is shown.',
  },
} as const

export type Kind = keyof typeof KINDS

export function kindOf(text: string): Kind {
  return text in KINDS ? (text as Kind) : 'routes'
}

export function idOf({ value }: GatewayObject): string {
  return String(value.id ?? value.username ?? '')
}

export const TABS = [
  { path: '/gateway', label: 'Routes' },
  ...Object.entries(KINDS)
    .filter(([kind]) => kind !== 'routes')
    .map(([kind, { many }]) => ({ path: `/gateway/${kind}`, label: many })),
  { path: '/gateway/explain', label: 'Explain' },
  { path: '/gateway/history', label: 'History' },
]
