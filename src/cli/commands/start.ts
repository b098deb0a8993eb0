import type { Command } from '../command.ts'

export const start: Command = {
  name: 'start',
  summary: 'run the server until it is told to stop',
  arguments: [],
  options: {},
  details: [
    'Prints where the API, the gateway and the data are, and at the very first start the admin key.',
    'SIGTERM and Ctrl-C let open requests finish before the process ends.',
  ].join('\n'),
  async run(_input, { operations, loadConfig, out, err }) {
    const config = await loadConfig()
    // Whoever reads the log there gets nothing but its lines.
    return operations.start(config, config.log.to === 'stdout' ? err : out)
  },
}
