import { definePlugin } from '../plane/plugin.ts'
import { readsBody, SCRIPT_SETTINGS, scriptFaults, setupScript } from '../scripts/plugin.ts'

/** Runs scripts of the operator in a sandbox, after all other plugins of their phase. */
export default definePlugin({
  name: 'serverless-post-function',
  priority: -2000,
  schema: SCRIPT_SETTINGS,
  findFaults: scriptFaults,
  readsBody,
  setup: setupScript,
})
