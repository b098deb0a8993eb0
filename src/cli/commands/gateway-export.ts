import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory, OperatorError } from '#kernel'
import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'

/** Others on the machine may not read what may hold secrets. */
const FILE_MODE = 0o600
const PROGRAM_MODE = 0o700

export const gatewayExport: Command = {
  name: 'gateway export',
  summary: 'write down the configuration of the gateway, for here or Apache APISIX',
  arguments: [],
  options: {
    to: { type: 'string', value: '<form>', summary: 'entrepot (default) or apisix' },
    out: {
      type: 'string',
      value: '<dir>',
      summary: 'directory for the files; else, or with -, to standard output',
    },
    'with-secrets': { type: 'boolean', summary: 'with credentials and private keys' },
  },
  details: [
    'Reads the database of this host, also while the server runs, and changes nothing. Without',
    '--with-secrets every secret is ******: what "gateway import" finds masked stays as it is stored.',
    '',
    'For Apache APISIX the directory will hold apisix.yaml (standalone mode), admin.sh (the same as',
    'calls of its administration) and differences.md: what has no equal there, which else stands on',
    'standard error. A route that loses a plugin is switched off and a consumer stays behind, so that',
    'nothing is open that was not. With masked secrets neither file can be loaded.',
  ].join('\n'),
  async run(input, { operations, loadConfig, out, err, write }) {
    const form = parseForm(input.text('to'))
    const directory = input.text('out')
    const withSecrets = input.flag('with-secrets')
    const options = { form, withSecrets }
    const { files, notes, masked } = await operations.exportGateway(await loadConfig(), options)
    if (directory === undefined || directory === '-') {
      await write(files[0].text)
      for (const { of, member, message } of notes)
        err([of, member, message].filter(Boolean).join(' '))
    } else {
      await writeAll(directory, files)
      out(files.map(({ name }) => join(directory, name)).join('\n'))
      if (notes.length > 0) err(`${notes.length} differences: see differences.md.`)
    }
    if (masked > 0) err(`${masked} secrets are masked; --with-secrets writes them out.`)
  },
}

function parseForm(text = 'entrepot'): 'entrepot' | 'apisix' {
  if (text === 'entrepot' || text === 'apisix') return text
  throw new UsageError(`--to must be entrepot or apisix, not "${text}"`)
}

async function writeAll(
  directory: string,
  files: readonly { readonly name: string; readonly text: string; readonly isProgram?: boolean }[],
): Promise<void> {
  try {
    makeDirectory(directory, 0o700)
    for (const { name, text, isProgram } of files) {
      await writeFile(join(directory, name), text, { mode: isProgram ? PROGRAM_MODE : FILE_MODE })
    }
  } catch (error) {
    throw new OperatorError(`${directory} cannot be written to: ${String(error)}`, error)
  }
}
