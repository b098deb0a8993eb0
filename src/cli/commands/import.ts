import { randomUUID } from 'node:crypto'
import { access } from 'node:fs/promises'
import type { Command, Input } from '../command.ts'
import { findServer, keyFor, serverOptions } from '../find-server.ts'
import type { FileFormat } from '../import/records.ts'
import { unreadable } from '../unreadable.ts'
import { UsageError } from '../usage-error.ts'

const MAX_BATCH = 500

export const importRecords: Command = {
  name: 'import',
  summary: 'send the records of a file to a running server',
  arguments: ['type', 'file'],
  options: {
    upsert: {
      type: 'string',
      value: '<key>',
      summary: 'change the record with the same external_id or unique attribute, else create',
    },
    format: {
      type: 'string',
      value: '<name>',
      summary: 'ndjson or csv; else by the name of the file',
    },
    batch: { type: 'string', value: '<n>', summary: 'records in one request, 1 to 500 (500)' },
    ...serverOptions('write'),
  },
  details: [
    'The type is named as in the URL: articles. In an NDJSON file each line is a record as',
    'POST /api/v1/articles takes it. In a CSV file the first line names the members; an empty cell',
    'is null, and a column named tags:json holds JSON. Records that are refused are reported by line,',
    'the others are kept. With --upsert an import can be repeated: what is there already is found',
    'again and only changed where it differs. The key is better given as ENTREPOT_CLI_KEY, because',
    'other users of this machine can see options.',
  ].join('\n'),
  async run(input, { loadConfig, out, err, progress }) {
    const batchSize = parseBatch(input.text('batch'))
    const file = input.argument('file')
    const format = parseFormat(input, file)
    const config = await loadConfig()
    const key = keyFor(importRecords, input, config)
    await access(file).catch((error) => {
      throw unreadable(file, error)
    })
    const url = await findServer(input.text('url'), config)
    const { runImport, summaryOf } = await import('../import/run.ts')
    const totals = await runImport(
      {
        ...{ file, format, key, batchSize, runId: randomUUID() },
        url,
        collection: encodeURIComponent(input.argument('type')),
        upsert: input.text('upsert') ?? null,
      },
      { out, err, ...(progress ? { progress } : {}) },
    )
    out(summaryOf(totals))
    return totals.failed > 0 ? 1 : 0
  },
}

function parseBatch(text: string | undefined): number {
  if (text === undefined) return MAX_BATCH
  const size = /^\d+$/.test(text) ? Number(text) : 0
  if (size < 1 || size > MAX_BATCH) {
    throw new UsageError(`--batch must be a whole number from 1 to ${MAX_BATCH}`)
  }
  return size
}

function parseFormat(input: Input, file: string): FileFormat {
  const given = input.text('format') ?? /\.(ndjson|jsonl|csv)$/i.exec(file)?.[1]?.toLowerCase()
  if (given === 'csv') return 'csv'
  if (given === 'ndjson' || given === 'jsonl') return 'ndjson'
  throw new UsageError(`say with --format whether ${file} is ndjson or csv`)
}
