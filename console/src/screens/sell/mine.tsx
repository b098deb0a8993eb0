import { SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listQuery, recordQuery } from '../../api/lists.ts'
import { useSession } from '../../api/session.ts'
import { Figure } from '../../parts/figure.tsx'
import { Page } from '../../parts/page.tsx'
import { countOf, moneyOf } from '../../parts/words.ts'
import { Keys, NewKeyButton } from './keys.tsx'
import { LastHour } from './last-hour.tsx'
import { LiveFigures } from './live-figures.tsx'
import { PlanCard } from './plans.tsx'
import type { Plan } from './records.ts'

interface Invoice {
  readonly month: string
  readonly currency: string
  readonly requests: number
  readonly total: number
  readonly estimated: boolean
}

/** What belongs to the person who is signed in: keys, usage as it happens, what the month costs. */
export default function Mine() {
  const session = useSession()
  const invoice = useQuery(recordQuery<Invoice>('/api/v1/usage/invoice')).data?.data
  const plans = useQuery(listQuery<Plan>('/api/v1/plans', { per_page: 100 }))
  return (
    <Page title="My keys and usage" note={session.email} actions={<NewKeyButton />}>
      <Stack gap="lg">
        <LiveFigures />
        <LastHour />
        <Keys userId={session.id} />
        {invoice && (
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <Figure
              label={`Invoice of ${invoice.month}${invoice.estimated ? ', so far' : ''}`}
              value={moneyOf(invoice.total, invoice.currency)}
              note={`${countOf(invoice.requests)} requests`}
            />
          </SimpleGrid>
        )}
        <Title order={2}>Plans</Title>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
          {plans.data?.data.map((plan) => (
            <PlanCard key={plan.id} plan={plan} />
          ))}
        </SimpleGrid>
      </Stack>
    </Page>
  )
}
