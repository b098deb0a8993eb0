import {
  Anchor,
  Badge,
  Button,
  Code,
  Group,
  NativeSelect,
  Paper,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { typesQuery } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { useSearchText } from '../../location.ts'
import { BAD } from '../../parts/colours.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { curlOf, type ReadyRequest, requestsOf } from './dialects.ts'

const LONGEST = 20_000

/** Ready requests for each type in every dialect, to be sent from here or taken elsewhere. */
export default function Requests() {
  const [search, setSearch] = useSearchText()
  const { data, error } = useQuery(typesQuery)
  if (error && !data) return <ScreenFault error={error} />
  const types = data ?? []
  const type = types.find(({ uid }) => uid === search['type']) ?? types[0]
  return (
    <Page
      title="API"
      note="One content, five ways to ask for it."
      actions={
        <>
          <Button variant="default" component="a" href="/graphql" target="_blank">
            GraphiQL
          </Button>
          <Button variant="default" component="a" href="/docs" target="_blank">
            Reference
          </Button>
        </>
      }
    >
      {data && !type ? (
        <Empty title="No types yet">Make a type first: each has its addresses at once.</Empty>
      ) : (
        <Stack gap="md">
          <NativeSelect
            label="Type"
            maw={320}
            value={type?.uid ?? ''}
            data={types.map(({ uid, displayName }) => ({ value: uid, label: displayName }))}
            onChange={(event) => setSearch({ type: event.currentTarget.value })}
          />
          {type &&
            requestsOf(type).map((request) => (
              <Ready key={`${type.uid} ${request.dialect}`} request={request} />
            ))}
          <Text size="sm">
            Every operation with its parameters is in the <Anchor href="/docs">reference</Anchor>.
          </Text>
        </Stack>
      )}
    </Page>
  )
}

function Ready({ request }: { request: ReadyRequest }) {
  const { dialect, note, method, path, body } = request
  const ask = useMutation({
    mutationFn: async () => {
      const startedMs = performance.now()
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await fetch(path, { method, headers, body: body ?? null })
      const text = await response.text()
      const ms = Math.round(performance.now() - startedMs)
      return { status: response.status, text: pretty(text).slice(0, LONGEST), ms }
    },
  })
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={2}>{dialect}</Title>
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          </Group>
          <Button size="xs" loading={ask.isPending} onClick={() => ask.mutate()}>
            Send
          </Button>
        </Group>
        <CopyText text={curlOf(request, location.origin)} label={`Copy the ${dialect} request`} />
        {ask.error && (
          <Text c={BAD} size="sm" role="alert">
            {messageOf(ask.error)}
          </Text>
        )}
        {ask.data && (
          <>
            <Group gap="xs">
              <Badge
                miw="max-content"
                variant="dot"
                tt="none"
                color={ask.data.status < 400 ? 'teal' : 'red'}
              >
                {ask.data.status}
              </Badge>
              <Text size="sm" c="dimmed">
                {ask.data.ms} ms
              </Text>
            </Group>
            <Code
              block
              mah={360}
              style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflowY: 'auto' }}
            >
              {ask.data.text}
            </Code>
          </>
        )}
      </Stack>
    </Paper>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
