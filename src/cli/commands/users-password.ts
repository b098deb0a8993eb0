import type { Command } from '../command.ts'
import { readSecret } from '../read-secret.ts'
import { UsageError } from '../usage-error.ts'

const LEAST = 8
const MOST = 1024

export const usersPassword: Command = {
  name: 'users password',
  summary: 'set the password of a user on this host, also of an admin who forgot it',
  arguments: ['email'],
  options: {
    generate: { type: 'boolean', summary: 'make one and print it, alone on standard output' },
  },
  details:
    'The new password is asked for, or read from standard input when that is no terminal. Sign-ins of the user end.',
  async run(input, { operations, loadConfig, out, err }) {
    const email = input.argument('email')
    const given = input.flag('generate') ? undefined : await readPassword(err)
    const password = await operations.setPassword(await loadConfig(), { email, password: given })
    if (given !== undefined) return void err(`The password of ${email} is set.`)
    err(`Keep the new password of ${email}; it cannot be shown again:`)
    out(password)
    return undefined
  },
}

async function readPassword(err: (text: string) => void): Promise<string> {
  const password = await readSecret('New password: ', err)
  if (password === '') {
    throw new UsageError('no password was given; type one, pipe one in, or say --generate')
  }
  const length = [...password].length
  if (length < LEAST || length > MOST) {
    throw new UsageError(`a password has from ${LEAST} to ${MOST} characters`)
  }
  return password
}
