/**
 * The settings of one process: a single schema (`config/schema.ts`), read once from the settings
 * file and the environment. Modules never see this; each is handed its slice by `app.ts`.
 */
import { type Config, parseConfig } from './config/parse.ts'

export {
  type AreaMember,
  describeAreas,
  describeConfig,
  type SettingRow,
  type SettingsArea,
} from './config/describe.ts'
export { editDistance, nearest } from './config/nearest.ts'
export { type Config, type ConfigInput, parseConfig } from './config/parse.ts'

/** For what the configuration of the gateway refers to by name. */
export function environmentOf(name: string): string | undefined {
  return process.env[name]
}

/** The one place that reads the environment. */
export function loadConfig(file?: string): Config {
  return parseConfig({ env: process.env, cwd: process.cwd(), file })
}
