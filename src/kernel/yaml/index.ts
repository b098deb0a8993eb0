// YAML of configurations, in and out, at once: for commands. Servers use `#yaml-apart`.
export { type ParsedYaml, parseYaml, YamlFault, type YamlLimits } from './parse.ts'
export { renderYaml } from './render.ts'
