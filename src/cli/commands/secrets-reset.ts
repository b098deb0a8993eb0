import type { LostSecret } from '#secrets'
import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

export const secretsReset: Command = {
  name: 'secrets reset',
  summary: 'go on without a lost master key: what it sealed is made anew or removed',
  arguments: [],
  options: { yes: { type: 'boolean', summary: 'do not ask first' } },
  details: [
    'For a backup whose master key is gone; stop the server, of several nodes all, before. Content,',
    'users, plans, keys and usage are not sealed and stay as they are. What cannot be read with the',
    'current key is listed, and after a question made anew or removed. There is no way back: with the',
    'lost key found later, only the backup still holds the old secrets.',
  ].join('\n'),
  async run(input, { operations, loadConfig, out, err, ask }) {
    const isSure = input.flag('yes')
    if (!isSure && !ask) throw new UsageError('nobody can be asked here; say --yes to reset')
    const done = await operations.resetSecrets(await loadConfig(), async (lost) => {
      if (isSure) return true
      for (const { of, fate } of lost) out(`${fate === 'removed' ? 'Removed' : 'Made anew'}: ${of}`)
      const answer = await ask?.('Reset these secrets? There is no way back. [y/N] ')
      return /^y(es)?$/i.test(answer?.trim() ?? '')
    })
    if (done === null) {
      out('Nothing was reset.')
      return
    }
    printAll('Made anew, by this command', done, 'recreated', out)
    printAll('Removed; to be entered again', done, 'removed', out)
    err('The master key of this data directory is the current one now. Keep a copy of it apart.')
  },
}

function printAll(
  title: string,
  all: readonly LostSecret[],
  fate: LostSecret['fate'],
  out: (text: string) => void,
): void {
  const these = all.filter((lost) => lost.fate === fate)
  if (these.length === 0) return
  out([`${title}:`, ...these.map(({ of, next }) => `  ${of}: ${next}`)].join('\n'))
}
