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
  run: async (_input, { operations, loadConfig, out }) => operations.start(await loadConfig(), out),
}
