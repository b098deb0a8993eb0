import { Badge, Button, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useEvents } from '../../api/event-source.ts'
import { recordQuery } from '../../api/lists.ts'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { TABS } from './tabs.ts'

interface Line {
  readonly level: string
  readonly time: string
  readonly thread: string
  readonly msg: string
  readonly [member: string]: unknown
}

const MOST = 500
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const COLOURS: Readonly<Record<string, string>> = { warn: 'yellow', error: 'red', fatal: 'red' }

/** The last lines of the log and those that follow, the newest first. */
export default function Log() {
  const [search, setSearch] = useSearchText()
  const [fresh, setFresh] = useState<readonly Line[]>([])
  const [isPaused, setPaused] = useState(false)
  const level = search['level'] ?? 'info'
  const q = search['q'] ?? ''
  const { data, error } = useQuery({
    ...recordQuery<readonly Line[]>('/api/v1/overview/log', {
      level,
      limit: 200,
      ...(q === '' ? {} : { q }),
    }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const path = isPaused || !data ? null : `/api/v1/overview/log/stream?level=${level}`
  useEvents(path, ['line'], (_name, text) => {
    if (!text.toLowerCase().includes(q.toLowerCase())) return
    setFresh((before) => [JSON.parse(text), ...before].slice(0, MOST))
  })
  if (error) return <ScreenFault error={error} />
  const lines = [...fresh, ...[...(data?.data ?? [])].reverse()].slice(0, MOST)
  return (
    <Page
      title="Log"
      note="Of the node that answers."
      actions={
        <Button variant="default" onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </Button>
      }
    >
      <AreaTabs label="Settings" tabs={TABS} />
      <Group mb="sm">
        <NativeSelect
          aria-label="Level"
          value={level}
          data={[
            { value: 'debug', label: 'everything' },
            { value: 'info', label: 'information and above' },
            { value: 'warn', label: 'warnings and errors' },
            { value: 'error', label: 'errors' },
          ]}
          onChange={(event) => {
            setFresh([])
            setSearch({ level: event.currentTarget.value })
          }}
        />
        <SearchBox
          label="Part of the line"
          placeholder="Part of the line"
          text={q}
          onChange={(words) => {
            setFresh([])
            setSearch({ q: words })
          }}
        />
      </Group>
      <Paper withBorder p="xs">
        <Stack gap={2} role="log" aria-label="Log">
          {lines.length === 0 && (
            <Text size="sm" c="dimmed">
              No such lines.
            </Text>
          )}
          {lines.map((line) => (
            <LogLine key={JSON.stringify(line)} line={line} />
          ))}
        </Stack>
      </Paper>
    </Page>
  )
}

/** One line to read; what else it says is behind it. */
function LogLine({ line }: { line: Line }) {
  const { level, time, thread, msg, ...rest } = line
  const names = Object.keys(rest)
  const words = (
    <>
      <Text span inherit c="dimmed">
        {TIME.format(new Date(time))} {thread}{' '}
      </Text>
      {level !== 'info' && (
        <Badge size="xs" miw="max-content" variant="dot" tt="none" color={COLOURS[level] ?? 'gray'}>
          {level}
        </Badge>
      )}{' '}
      {sentenceOf(line)}
    </>
  )
  return (
    <Text size="xs" ff="monospace" component="div" className="wrap-anywhere">
      {names.length === 0 ? (
        words
      ) : (
        <details>
          <summary>{words}</summary>
          <Text size="xs" ff="monospace" c="dimmed" pl="md" style={{ whiteSpace: 'pre-wrap' }}>
            {names.map((name) => `${name}: ${textOf(rest[name])}`).join('\n')}
          </Text>
        </details>
      )}
    </Text>
  )
}

/** A request by what was asked and answered, anything else by its message and what went wrong. */
function sentenceOf({ msg, method, path, status, duration_ms, err }: Line): string {
  if (msg === 'request' && typeof path === 'string') {
    return `${method} ${path} ${status}, ${Math.round(Number(duration_ms))} ms`
  }
  const fault = err instanceof Object && 'message' in err ? `: ${err.message}` : ''
  return `${msg}${fault}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
