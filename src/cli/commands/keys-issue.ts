import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

/** As over HTTP (access contract §2.2). */
const LONGEST_NAME = 200

export const keysIssue: Command = {
  name: 'keys issue',
  summary: 'issue an admin key on this host, for instance after the last one was lost',
  arguments: [],
  options: {
    admin: { type: 'boolean', summary: 'required: other keys are issued through the API' },
    name: { type: 'string', value: '<text>', summary: 'what the key is for' },
  },
  details: 'The key is printed once, alone on standard output, and cannot be shown again.',
  async run(input, { operations, loadConfig, out, err }) {
    if (!input.flag('admin')) {
      throw new UsageError('"keys issue" issues admin keys only; say so with --admin')
    }
    const name = input.text('name')
    if (name !== undefined && [...name].length > LONGEST_NAME) {
      throw new UsageError(`--name has at most ${LONGEST_NAME} characters`)
    }
    const key = await operations.issueAdminKey(await loadConfig(), { name })
    err('Keep this key; it cannot be shown again:')
    out(key)
  },
}
