import { Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useEvents } from '../../api/event-source.ts'
import { Figure } from '../../parts/figure.tsx'
import { When } from '../../parts/when.tsx'
import { countOf } from '../../parts/words.ts'
import type { Figures } from './records.ts'

/** What was used and what is left, as it changes; without a key of all own keys together. */
export function LiveFigures({ keyId }: { keyId?: number }) {
  const [figures, setFigures] = useState<Figures>()
  const query = keyId === undefined ? '' : `?key_id=${keyId}`
  useEvents(`/api/v1/usage/stream${query}`, ['usage'], (_name, data) =>
    setFigures(JSON.parse(data)),
  )
  if (!figures) return <Skeleton height={96} />
  const { month, monthLimit, minute, minuteLimit } = figures
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure label="This month" value={countOf(month)} note={`of ${countOrNone(monthLimit)}`} />
        <Figure
          label="Left"
          value={figures.remaining === null ? 'no limit' : countOf(figures.remaining)}
          note={
            <>
              until <When at={figures.resetsAt} />
            </>
          }
        />
        <Figure
          label="This minute"
          value={countOf(minute)}
          note={`of ${countOrNone(minuteLimit)}`}
        />
        <Figure
          label="Today"
          value={countOf(figures.today)}
          note={`${countOf(figures.rejectedToday)} refused, ${figures.avgResponseMs} ms each`}
        />
      </SimpleGrid>
      {monthLimit !== null && monthLimit > 0 && (
        <>
          <Progress
            value={Math.min(100, (month / monthLimit) * 100)}
            color={month >= monthLimit ? 'red' : month >= monthLimit * 0.8 ? 'yellow' : 'teal'}
            aria-label="Used of the month"
          />
          <Text size="xs" c="dimmed">
            Live: the figures follow within two seconds of a request.
          </Text>
        </>
      )}
    </Stack>
  )
}

function countOrNone(limit: number | null): string {
  return limit === null ? 'no limit' : countOf(limit)
}
