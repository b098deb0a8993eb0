import { Group, TagsInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import { changedMembers } from '../../parts/changed-members.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { NumberField } from '../../parts/number-field.tsx'
import type { Plan } from './records.ts'

export const PLANS = '/api/v1/plans'
export const NEW_PLAN: Omit<Plan, 'id'> = {
  name: '',
  requests_per_month: 10_000,
  requests_per_minute: 60,
  endpoints: ['*'],
  price_monthly: 0,
  currency: 'USD',
  keys_per_user: 0,
}

/** What is typed: a number may be missing, and the server says that it must not. */
type Draft = {
  readonly [Member in keyof Omit<Plan, 'id'>]: NonNullable<Plan[Member]> extends number
    ? Plan[Member] | null
    : Plan[Member]
}

/** A plan that is made or changed, in a dialog. */
export function PlanForm({ plan, onDone }: { plan: Plan | Omit<Plan, 'id'>; onDone(): void }) {
  const [before] = useState(plan)
  const [values, setValues] = useState<Draft>(plan)
  const mayLeave = useRef(false)
  const changes = changedMembers<Draft>(before, values)
  const id = 'id' in plan ? plan.id : undefined
  const save = useMutation({
    mutationFn: async () => {
      const body = id === undefined ? values : changes
      const path = id === undefined ? PLANS : `${PLANS}/${id}`
      return send<{ warnings?: readonly string[] }>(path, {
        method: id === undefined ? 'POST' : 'PATCH',
        body,
      })
    },
    onSuccess: async ({ body }) => {
      mayLeave.current = true
      await refreshPlans()
      tellDone('The plan was saved')
      for (const warning of body.warnings ?? []) tellFault(new Error(warning))
      onDone()
    },
  })
  const errors = fieldErrors(save.error)
  const set = (change: Partial<Draft>) => setValues({ ...values, ...change })
  return (
    <DialogForm send={save} button="Save">
      <LeaveGuard isBlocking={Object.keys(changes).length > 0} mayLeave={mayLeave} />
      <TextInput
        label="Name"
        required
        data-autofocus
        value={values.name}
        error={errors['name']}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <NumberField
        label="Requests per month"
        description="-1 is without limit"
        min={-1}
        value={values.requests_per_month}
        error={errors['requests_per_month']}
        onChange={(requests_per_month) => set({ requests_per_month })}
      />
      <NumberField
        label="Requests per minute"
        description="-1 is without limit"
        min={-1}
        value={values.requests_per_minute}
        error={errors['requests_per_minute']}
        onChange={(requests_per_minute) => set({ requests_per_minute })}
      />
      <TagsInput
        label="Endpoints"
        description="Such as GET /v1/articles/**; * is everything"
        value={[...values.endpoints]}
        error={errors['endpoints'] ?? errors['endpoints.0']}
        onChange={(endpoints) => set({ endpoints })}
      />
      <Group grow align="flex-start">
        <NumberField
          label="Price a month"
          min={0}
          decimalScale={2}
          value={values.price_monthly}
          error={errors['price_monthly']}
          onChange={(price_monthly) => set({ price_monthly })}
        />
        <TextInput
          label="Currency"
          value={values.currency}
          error={errors['currency']}
          onChange={(event) => set({ currency: event.currentTarget.value.toUpperCase() })}
        />
      </Group>
      <NumberField
        label="Keys that a user may make alone"
        description="0: only an admin issues keys"
        min={0}
        value={values.keys_per_user}
        error={errors['keys_per_user']}
        onChange={(keys_per_user) => set({ keys_per_user })}
      />
    </DialogForm>
  )
}

export function refreshPlans(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [PLANS] })
}
