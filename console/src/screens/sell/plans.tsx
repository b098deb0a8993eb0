import {
  Badge,
  Button,
  Code,
  Group,
  Modal,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { listQuery } from '../../api/lists.ts'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { limitOf, moneyOf } from '../../parts/words.ts'
import { NEW_PLAN, PLANS, PlanForm, refreshPlans } from './plan-form.tsx'
import { type Plan, TABS } from './records.ts'

/** Plans as a buyer would see them. */
export default function Plans() {
  const { data, error } = useQuery(listQuery<Plan>(PLANS, { per_page: 100 }))
  const [search, setSearch] = useSearchText()
  const [asked, setAsked] = useState<Asked | null>(null)
  if (error && !data) return <ScreenFault error={error} />
  const open = (plan: string | undefined) => setSearch({ plan })
  const edited =
    search['plan'] === 'new' ? NEW_PLAN : data?.data.find(({ id }) => String(id) === search['plan'])

  function askToDelete(plan: Plan) {
    setAsked({
      title: `Delete the plan ${plan.name}?`,
      message: 'It can be deleted while no active key has it. Usage and invoices stay.',
      button: 'Delete',
      name: plan.name,
      run: async () => {
        await send(`${PLANS}/${plan.id}`, { method: 'DELETE' })
        await refreshPlans()
        tellDone(`The plan ${plan.name} was deleted`)
      },
    })
  }

  return (
    <Page
      title="Sell"
      note="Plans say what a key may do, how often, and what it costs."
      actions={
        <Button leftSection={icons.plus} onClick={() => open('new')}>
          New plan
        </Button>
      }
    >
      <AreaTabs label="Sell" tabs={TABS} />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
        {data?.data.map((plan) => (
          <PlanCard
            key={plan.id}
            plan={plan}
            edit={() => open(String(plan.id))}
            remove={() => askToDelete(plan)}
          />
        ))}
      </SimpleGrid>
      <Modal
        opened={edited !== undefined}
        onClose={() => open(undefined)}
        title={edited && 'id' in edited ? `Plan ${edited.name}` : 'New plan'}
      >
        {edited && <PlanForm plan={edited} onDone={() => open(undefined)} />}
      </Modal>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

export function PlanCard({
  plan,
  edit,
  remove,
}: {
  plan: Plan
  edit?: () => void
  remove?: () => void
}) {
  return (
    <Paper withBorder p="lg" radius="md">
      <Stack gap="xs" h="100%">
        <Title order={2} className="wrap-anywhere">
          {plan.name}
        </Title>
        <Text fz={26} fw={600}>
          {plan.price_monthly === 0 ? 'Free' : moneyOf(plan.price_monthly, plan.currency)}
          {plan.price_monthly > 0 && (
            <Text span size="sm" c="dimmed">
              {' '}
              a month
            </Text>
          )}
        </Text>
        <Text size="sm">{limitOf(plan.requests_per_month, 'month')}</Text>
        <Text size="sm">{limitOf(plan.requests_per_minute, 'minute')}</Text>
        {(plan.keys_per_user ?? 0) > 0 && (
          <Badge miw="max-content" variant="dot" tt="none">
            {plan.keys_per_user} keys by self-service
          </Badge>
        )}
        <Stack gap={2}>
          {plan.endpoints.slice(0, 6).map((endpoint) => (
            <Code key={endpoint} className="wrap-anywhere">
              {endpoint === '*' ? 'everything' : endpoint}
            </Code>
          ))}
          {plan.endpoints.length === 0 && <Text size="sm">No endpoints</Text>}
          {plan.endpoints.length > 6 && (
            <Text size="xs" c="dimmed">
              and {plan.endpoints.length - 6} more
            </Text>
          )}
        </Stack>
        {edit && (
          <Group gap="xs" mt="auto">
            <Button size="xs" variant="default" onClick={edit}>
              Change
            </Button>
            <Button size="xs" variant="default" onClick={remove}>
              Delete
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
