import { readdirSync } from 'node:fs'
import type { PluginDefinition } from '../plane/plugin.ts'

/** Names that existing configurations use for a plugin of ours. */
const ALIASES: Readonly<Record<string, string>> = { 'limit-count': 'rate-limiting' }
const NOT_PLUGINS = /^load\.ts$|\.test\.ts$/

export interface Plugins {
  find(name: string): PluginDefinition | undefined
  /** Highest priority first. */
  readonly all: readonly PluginDefinition[]
}

/** Every file of the folder is a plugin and has the plugin's name. */
export async function loadPlugins(): Promise<Plugins> {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => file.endsWith('.ts') && !NOT_PLUGINS.test(file),
  )
  const loaded = await Promise.all(files.map(load))
  const all = loaded.sort((a, b) => b.priority - a.priority)
  const byName = new Map(all.map((plugin) => [plugin.name, plugin]))
  return { all, find: (name) => byName.get(ALIASES[name] ?? name) }
}

async function load(file: string): Promise<PluginDefinition> {
  const { default: plugin }: { default: PluginDefinition } = await import(`./${file}`)
  if (`${plugin.name}.ts` !== file) throw new Error(`${file} calls itself ${plugin.name}`)
  return plugin
}
