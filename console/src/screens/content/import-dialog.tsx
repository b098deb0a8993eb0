import {
  Alert,
  Button,
  FileButton,
  Group,
  Modal,
  Progress,
  ScrollArea,
  Stack,
  Table,
  Text,
} from '@mantine/core'
import { useState } from 'react'
import type { ContentType } from '../../api/content.ts'
import { icons } from '../../parts/icons.tsx'
import { importRows, type Outcome } from './import.ts'
import { type ReadRow, readRows } from './parse-rows.ts'

interface Props {
  readonly type: ContentType
  onClose(): void
  onDone(): void
}

const SHOWN = 5

/** A file of entries: its first rows are shown before anything is sent, and every line has its outcome. */
export function ImportDialog({ type, onClose, onDone }: Props) {
  const [rows, setRows] = useState<readonly ReadRow[]>()
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>()
  const isRunning = outcomes !== undefined && outcomes.length < (rows?.length ?? 0)

  async function run() {
    setOutcomes([])
    await importRows(type, rows ?? [], setOutcomes)
    onDone()
  }

  return (
    <Modal opened onClose={onClose} title={`Import into ${type.displayName}`} size="xl">
      <Stack>
        <Group>
          <FileButton
            accept=".csv,.json,.ndjson,text/csv,application/json"
            onChange={async (file) => {
              setOutcomes(undefined)
              setRows(file ? readRows(toText(await file.arrayBuffer())) : undefined)
            }}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={icons.upload}>
                Choose a file
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="dimmed">
            CSV (comma, semicolon or tab) with names of attributes in its first line, NDJSON, or a
            list as JSON
          </Text>
        </Group>
        {rows && outcomes === undefined && <Preview rows={rows} />}
        {outcomes && rows && (
          <>
            <Progress value={(outcomes.length / rows.length) * 100} aria-label="Import" />
            <Report outcomes={outcomes} />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            disabled={!rows?.length || outcomes !== undefined}
            loading={isRunning}
            onClick={() => void run()}
          >
            Import {rows?.length ?? 0} rows
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** UTF-8; what is none is taken as spreadsheets on Windows write it. */
function toText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function Preview({ rows }: { rows: readonly ReadRow[] }) {
  const first = rows.slice(0, SHOWN)
  const names = [...new Set(first.flatMap(({ values = {} }) => Object.keys(values)))]
  if (rows.length === 0) return <Alert color="yellow">There is nothing in this file.</Alert>
  return (
    <ScrollArea>
      <Table aria-label="First rows">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            {names.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {first.map(({ line, values, fault }) => (
            <Table.Tr key={line}>
              <Table.Td>{line}</Table.Td>
              {fault && <Table.Td colSpan={names.length || 1}>{fault}</Table.Td>}
              {values &&
                names.map((name) => (
                  <Table.Td
                    key={name}
                    maw={240}
                    style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
                  >
                    {typeof values[name] === 'object'
                      ? JSON.stringify(values[name])
                      : String(values[name] ?? '')}
                  </Table.Td>
                ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

function Report({ outcomes }: { outcomes: readonly Outcome[] }) {
  const refused = outcomes.filter(({ fault }) => fault)
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {outcomes.length - refused.length} taken, {refused.length} refused
      </Text>
      <ScrollArea.Autosize mah={240}>
        {refused.map(({ line, fault }) => (
          <Text key={line} size="sm" c="red">
            Line {line}: {fault}
          </Text>
        ))}
      </ScrollArea.Autosize>
    </Stack>
  )
}
