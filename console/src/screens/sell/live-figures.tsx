import { Alert, Badge, Group, Progress, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import type { Threshold, Usage } from '../../api/usage-stream.ts'
import { useUsageStream } from '../../api/usage-stream.ts'
import { Figure } from '../../parts/figure.tsx'
import { When } from '../../parts/when.tsx'
import { countOf } from '../../parts/words.ts'

interface Props extends Usage {
  /** Told once there is nothing to be seen with the key any more. */
  onRefused?(why: string): void
}

/** What was used and what is left, as it changes; without a key of all own keys together. */
export function LiveFigures({ onRefused, ...usage }: Props) {
  const { figures, threshold, isLive, refusal } = useUsageStream(usage)
  if (refusal !== undefined) return <Refused why={refusal} {...(onRefused ? { onRefused } : {})} />
  if (!figures) return <Skeleton height={96} />
  const { month, monthLimit, minute, minuteLimit } = figures
  return (
    <Stack gap="xs">
      {threshold && <Reached threshold={threshold} />}
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
      <Group gap="sm" wrap="nowrap">
        <Badge miw="max-content" variant="dot" tt="none" color={isLive ? 'teal' : 'yellow'}>
          {isLive ? 'live' : 'connecting again'}
        </Badge>
        {monthLimit !== null && monthLimit > 0 && (
          <Progress
            flex={1}
            value={Math.min(100, (month / monthLimit) * 100)}
            color={month >= monthLimit ? 'red' : month >= monthLimit * 0.8 ? 'yellow' : 'teal'}
            aria-label="Used of the month"
          />
        )}
      </Group>
    </Stack>
  )
}

function Refused({ why, onRefused }: { why: string; onRefused?(why: string): void }) {
  return (
    <Alert
      color="red"
      title={why}
      withCloseButton={onRefused !== undefined}
      closeButtonLabel="Use another key"
      onClose={() => onRefused?.(why)}
    >
      Nothing can be seen with this key. Whoever issued it can say why, or issue another one.
    </Alert>
  )
}

function Reached({ threshold: { percent, used, limit } }: { threshold: Threshold }) {
  const isFull = percent >= 100
  return (
    <Alert color={isFull ? 'red' : 'yellow'} role="status">
      {isFull
        ? `The monthly limit of ${countOf(limit)} is used up; further requests are refused.`
        : `${percent} % of this month is used: ${countOf(used)} of ${countOf(limit)}.`}
    </Alert>
  )
}

function countOrNone(limit: number | null): string {
  return limit === null ? 'no limit' : countOf(limit)
}
