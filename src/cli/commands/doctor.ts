import type { Finding } from '#doctor'
import { OperatorError } from '#kernel'
import type { Command } from '../command.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'look at what the server stands on, and say what to do about faults',
  arguments: [],
  options: {
    json: { type: 'boolean', summary: 'as JSON, for programs' },
  },
  details: [
    'Settings, data directory, disk, database, master key, clock, Redis, ports, certificates and',
    'Chromium, as far as they are set. Nothing is changed; a server may run or not. Exit code 1 when',
    'there is a fault.',
  ].join('\n'),
  async run(input, { operations, loadConfig, out }) {
    const findings = await examine()
    out(input.flag('json') ? JSON.stringify(findings, null, 2) : findings.map(render).join('\n'))
    return findings.some(({ state }) => state === 'fault') ? 1 : 0

    async function examine(): Promise<readonly Finding[]> {
      try {
        return await operations.examine(await loadConfig())
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        const next = 'Correct it; "entrepot help" says where settings come from.'
        return [{ check: 'settings', state: 'fault', says: error.message, next }]
      }
    }
  },
}

function render({ check, state, says, next }: Finding): string {
  const line = `${state.padEnd(7)}  ${check}: ${says}`
  return next === undefined ? line : `${line}\n         → ${next}`
}
