import {
  type ConsumerValue,
  CREDENTIAL_MEMBERS,
  isDisabled,
  type JsonObject,
} from '../resources/values.ts'
import { type Instances, NO_INSTANCES } from './chain.ts'

/** Who calls, as an authentication plugin found out. */
export interface Consumer {
  readonly username: string
  readonly groupId: string | null
  readonly value: ConsumerValue
  /** The consumer's own plugins, then those of its group. */
  readonly plugins: Instances
  readonly groupPlugins: Instances
  /** It is in a group that is not there any more. */
  readonly lacksGroup: boolean
  /** Stands for a key that was sold, not for a consumer of the configuration. */
  readonly isBuyer?: true
}

/** What a consumer authenticates with. */
export interface Credential {
  readonly consumer: Consumer
  /** Null for one that is part of the consumer itself. */
  readonly id: string | null
  readonly settings: JsonObject
}

/** All consumers at one moment; never changed, a change makes a new one. */
export interface Consumers {
  find(username: string): Consumer | undefined
  /** By plugin and the member of its settings that is told apart by. */
  findByKey(plugin: string, key: string): Credential | undefined
}

export interface StoredConsumer {
  readonly value: ConsumerValue
  readonly plugins: Instances
}

export interface StoredCredential {
  /** `<username>/<id>` */
  readonly path: string
  readonly plugins: Readonly<Record<string, JsonObject>>
}

export function createConsumers(
  stored: Iterable<StoredConsumer>,
  credentials: Iterable<StoredCredential>,
  groupOf: (id: string) => Instances | undefined,
): Consumers {
  const byName = new Map<string, Consumer>()
  const byKey = new Map<string, Credential>()
  for (const { value, plugins } of stored) {
    const groupId = value.group_id === undefined ? null : String(value.group_id)
    const group = groupId === null ? NO_INSTANCES : groupOf(groupId)
    const consumer = {
      username: value.username,
      groupId,
      value,
      plugins,
      groupPlugins: group ?? NO_INSTANCES,
      lacksGroup: group === undefined,
    }
    byName.set(value.username, consumer)
    index(consumer, null, value.plugins ?? {})
  }
  for (const { path, plugins } of credentials) {
    const [username = '', id = ''] = path.split('/')
    const consumer = byName.get(username)
    if (consumer) index(consumer, id, plugins)
  }
  return {
    find: (username) => byName.get(username),
    findByKey: (plugin, key) => byKey.get(`${plugin}/${key}`),
  }

  function index(
    consumer: Consumer,
    id: string | null,
    plugins: Readonly<Record<string, JsonObject>>,
  ) {
    for (const [plugin, settings] of Object.entries(plugins)) {
      if (isDisabled(settings)) continue
      const key = settings[CREDENTIAL_MEMBERS.get(plugin) ?? 'key']
      if (typeof key === 'string') byKey.set(`${plugin}/${key}`, { consumer, id, settings })
    }
  }
}

export const NO_CONSUMERS: Consumers = createConsumers([], [], () => undefined)
