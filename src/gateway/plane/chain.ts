import { isObject } from '#kernel'
import { type Condition, compileExpression } from '../expression/expression.ts'
import type { Json, JsonObject, PluginsValue } from '../resources/values.ts'
import type { PluginAnswer, PluginDefinition, PluginDeps, PluginPhases } from './plugin.ts'
import { mentionsBody } from './request-body.ts'

/** A plugin with its settings, ready to run. */
export interface Instance {
  readonly name: string
  /** As the configuration calls it, which may be by another name; shown by explain. */
  readonly given: string
  readonly priority: number
  readonly authenticates: boolean
  readonly isDisabled: boolean
  /** It looks at the body, which is then read before the plugins run. */
  readonly readsBody: boolean
  /** A parameter of the query that no log shows. */
  readonly credentialArgument: string | undefined
  readonly phases: PluginPhases
  readonly filter: Condition | null
  readonly errorResponse: JsonObject | string | null
  /** Such as `routes/7`; shown by explain. */
  readonly owner: string
}

/** By name; what a route, service or consumer brings along. */
export type Instances = ReadonlyMap<string, Instance>

type PhaseName = 'rewrite' | 'access' | 'beforeProxy' | 'headerFilter' | 'log'

/** The plugins of one request, phase by phase, in the order they run. */
export interface Chain {
  readonly rewrite: readonly Instance[]
  readonly access: readonly Instance[]
  readonly beforeProxy: readonly Instance[]
  readonly headerFilter: readonly Instance[]
  readonly log: readonly Instance[]
  readonly authenticates: boolean
  readonly has: ReadonlySet<string>
  /** Parameters of the query that no log shows. */
  readonly credentialArguments: readonly string[]
  readonly readsBody: boolean
}

export const NO_INSTANCES: Instances = new Map()
export const NO_CHAIN: Chain = createChain([])

interface CompileDeps {
  readonly owner: string
  find(name: string): PluginDefinition | undefined
  deps(owner: string, plugin: string): PluginDeps
}

export function compilePlugins(
  plugins: PluginsValue | undefined,
  { owner, find, deps }: CompileDeps,
): Instances {
  if (!plugins) return NO_INSTANCES
  const instances = new Map<string, Instance>()
  for (const [given, conf] of Object.entries(plugins)) {
    const definition = find(given)
    if (!definition) continue
    const { _meta: meta, ...settings } = conf
    const about = isObject(meta) ? meta : {}
    instances.set(definition.name, {
      name: definition.name,
      given,
      priority: typeof about['priority'] === 'number' ? about['priority'] : definition.priority,
      authenticates: definition.authenticates,
      isDisabled: about['disable'] === true,
      readsBody: definition.readsBody(settings) || mentionsBody(conf),
      credentialArgument: definition.credentialArgument(settings),
      phases: definition.setup(settings, deps(owner, definition.name)),
      filter: Array.isArray(about['filter']) ? compileExpression(about['filter']) : null,
      errorResponse: errorResponseOf(about['error_response']),
      owner,
    })
  }
  return instances
}

/** One settings object wins whole; the owners come with the strongest first (contract §7.1). */
export function mergeInstances(owners: readonly Instances[]): Chain {
  const merged = new Map<string, Instance>()
  for (const instances of owners) {
    for (const [name, instance] of instances) if (!merged.has(name)) merged.set(name, instance)
  }
  return merged.size === 0 ? NO_CHAIN : createChain([...merged.values()])
}

export function createChain(all: readonly Instance[]): Chain {
  const instances = all
    .filter(({ isDisabled }) => !isDisabled)
    .sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1))
  const having = (phase: PhaseName) => instances.filter(({ phases }) => phases[phase])
  return {
    rewrite: having('rewrite'),
    access: having('access'),
    beforeProxy: having('beforeProxy'),
    headerFilter: having('headerFilter'),
    log: having('log'),
    authenticates: instances.some(({ authenticates }) => authenticates),
    readsBody: instances.some(({ readsBody }) => readsBody),
    has: new Set(instances.map(({ name }) => name)),
    credentialArguments: instances.flatMap(({ credentialArgument: name }) => name ?? []),
  }
}

/** `_meta.error_response` replaces the body of the plugin's refusal. */
export function withErrorResponse(answer: PluginAnswer, { errorResponse }: Instance): PluginAnswer {
  if (errorResponse === null || answer.status < 400) return answer
  return { ...answer, body: errorResponse }
}

function errorResponseOf(value: unknown): JsonObject | string | null {
  if (typeof value === 'string') return value
  return isObject<Json>(value) ? value : null
}
