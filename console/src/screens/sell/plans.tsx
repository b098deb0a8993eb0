import {
  Badge,
  Button,
  Code,
  Group,
  Modal,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { limitOf, moneyOf } from '../../parts/words.ts'
import { type Plan, TABS } from './records.ts'

const PLANS = '/api/v1/plans'
const NEW: Omit<Plan, 'id'> = {
  name: '',
  requests_per_month: 10_000,
  requests_per_minute: 60,
  endpoints: ['*'],
  price_monthly: 0,
  currency: 'USD',
  keys_per_user: 0,
}

/** Plans as a buyer would see them. */
export default function Plans() {
  const { data, error } = useQuery(listQuery<Plan>(PLANS, { per_page: 100 }))
  const [edited, setEdited] = useState<Plan | Omit<Plan, 'id'> | null>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  if (error && !data) return <ScreenFault error={error} />

  function askToDelete(plan: Plan) {
    setAsked({
      title: `Delete the plan ${plan.name}?`,
      message: 'It can be deleted while no active key has it. Usage and invoices stay.',
      button: 'Delete',
      name: plan.name,
      run: async () => {
        await send(`${PLANS}/${plan.id}`, { method: 'DELETE' })
        await refresh()
        tellDone(`The plan ${plan.name} was deleted`)
      },
    })
  }

  return (
    <Page
      title="Sell"
      note="Plans say what a key may do, how often, and what it costs."
      actions={
        <Button leftSection={icons.plus} onClick={() => setEdited(NEW)}>
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
            edit={() => setEdited(plan)}
            remove={() => askToDelete(plan)}
          />
        ))}
      </SimpleGrid>
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        title={edited && 'id' in edited ? `Plan ${edited.name}` : 'New plan'}
      >
        {edited && <PlanForm plan={edited} onDone={() => setEdited(null)} />}
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

function PlanForm({ plan, onDone }: { plan: Plan | Omit<Plan, 'id'>; onDone(): void }) {
  const [values, setValues] = useState(plan)
  const id = 'id' in plan ? plan.id : undefined
  const save = useMutation({
    mutationFn: async () => {
      const { name, requests_per_month, requests_per_minute, endpoints } = values
      const { price_monthly, currency, keys_per_user } = values
      const body = {
        ...{ name, requests_per_month, requests_per_minute, endpoints },
        ...{ price_monthly, currency, keys_per_user },
      }
      const path = id === undefined ? PLANS : `${PLANS}/${id}`
      return send<{ warnings?: readonly string[] }>(path, {
        method: id === undefined ? 'POST' : 'PATCH',
        body,
      })
    },
    onSuccess: async ({ body }) => {
      await refresh()
      tellDone('The plan was saved')
      for (const warning of body.warnings ?? []) tellFault(new Error(warning))
      onDone()
    },
  })
  const errors = fieldErrors(save.error)
  const set = (change: Partial<Plan>) => setValues({ ...values, ...change })
  return (
    <DialogForm send={save} button="Save">
      <TextInput
        label="Name"
        required
        data-autofocus
        value={values.name}
        error={errors['name']}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <NumberInput
        label="Requests per month"
        description="-1 is without limit"
        min={-1}
        value={values.requests_per_month}
        error={errors['requests_per_month']}
        onChange={(value) => set({ requests_per_month: Number(value) })}
      />
      <NumberInput
        label="Requests per minute"
        description="-1 is without limit"
        min={-1}
        value={values.requests_per_minute}
        error={errors['requests_per_minute']}
        onChange={(value) => set({ requests_per_minute: Number(value) })}
      />
      <TagsInput
        label="Endpoints"
        description="Such as GET /v1/articles/**; * is everything"
        value={[...values.endpoints]}
        error={errors['endpoints'] ?? errors['endpoints.0']}
        onChange={(endpoints) => set({ endpoints })}
      />
      <Group grow align="flex-start">
        <NumberInput
          label="Price a month"
          min={0}
          decimalScale={2}
          value={values.price_monthly}
          error={errors['price_monthly']}
          onChange={(value) => set({ price_monthly: Number(value) })}
        />
        <TextInput
          label="Currency"
          value={values.currency}
          error={errors['currency']}
          onChange={(event) => set({ currency: event.currentTarget.value.toUpperCase() })}
        />
      </Group>
      <NumberInput
        label="Keys that a user may make alone"
        description="0: only an admin issues keys"
        min={0}
        value={values.keys_per_user ?? 0}
        error={errors['keys_per_user']}
        onChange={(value) => set({ keys_per_user: Number(value) })}
      />
    </DialogForm>
  )
}

function refresh(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [PLANS] })
}
