import { Paper, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { Bars } from '../../parts/bars.tsx'

interface Point {
  readonly at: string
  readonly requests: number
  readonly errors: number
  readonly rejected: number
}

const EVERY_MS = 5_000
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** Requests minute by minute; of one key, or of all own ones. */
export function LastHour({ secret }: { secret?: string }) {
  const { data = [] } = useQuery({
    queryKey: ['last-hour', secret ?? 'own'],
    queryFn: async ({ signal }) => {
      const headers: Record<string, string> = secret === undefined ? {} : { 'x-api-key': secret }
      const query = { interval: 'minute' }
      const path = '/api/v1/usage/series'
      return (await send<{ data: Point[] }>(path, { query, headers, signal })).body.data
    },
    refetchInterval: EVERY_MS,
  })
  const bars = data.map(({ at, requests, errors, rejected }) => ({
    label: TIME.format(new Date(at)),
    good: requests - errors,
    bad: errors + rejected,
  }))
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="xs">
        The last hour
      </Title>
      <Bars
        label="Requests of the last hour"
        bars={bars}
        names={{ good: 'requests', bad: 'refused or failed' }}
      />
    </Paper>
  )
}
