import { Alert, Badge, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { BAD } from '../../parts/colours.ts'
import { countOf } from '../../parts/words.ts'
import type { Definition } from './records.ts'

interface Previewed {
  readonly url: string
  readonly status_code: number | null
  readonly items: readonly { readonly data?: Readonly<Record<string, unknown>> }[]
  readonly links: readonly string[]
  readonly notes: readonly unknown[]
  readonly error: { readonly message: string } | null
}

const MOST_ITEMS = 5

/** What the rules find on the first page, before anything is saved. */
export function Preview({ definition }: { definition(): Definition }) {
  const show = useMutation({
    mutationFn: async () => {
      const given = definition()
      const body = { ...given, name: given.name || 'preview' }
      return (await send<Previewed>('/api/v1/scrapers/preview', { method: 'POST', body })).body
    },
  })
  const found = show.data
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>Preview</Title>
          <Button size="xs" loading={show.isPending} onClick={() => show.mutate()}>
            Fetch the page
          </Button>
        </Group>
        {!found && !show.error && (
          <Text size="sm" c="dimmed">
            Fetches the first page and shows what each rule finds. Nothing is stored.
          </Text>
        )}
        {show.error && <Alert color="red">{messageOf(show.error)}</Alert>}
        {found?.error && <Alert color="red">{found.error.message}</Alert>}
        {found && (
          <>
            <Group gap="xs">
              <Badge miw="max-content" variant="dot" tt="none">
                {found.status_code ?? 'no answer'}
              </Badge>
              <Text size="sm">
                {countOf(found.items.length)} items, {countOf(found.links.length)} links
              </Text>
            </Group>
            {found.items.slice(0, MOST_ITEMS).map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: items of one page have no names
              <Item key={index} values={item.data ?? toValues(item)} />
            ))}
          </>
        )}
      </Stack>
    </Paper>
  )
}

function Item({ values }: { values: Readonly<Record<string, unknown>> }) {
  return (
    <Table withTableBorder aria-label="Found">
      <Table.Tbody>
        {Object.entries(values).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={130}>{name}</Table.Th>
            <Table.Td className="wrap-anywhere">
              {value === null || value === undefined ? (
                <Text c={BAD} size="sm" span>
                  nothing
                </Text>
              ) : typeof value === 'string' ? (
                value.slice(0, 300)
              ) : (
                JSON.stringify(value).slice(0, 300)
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function toValues(item: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item))
}
