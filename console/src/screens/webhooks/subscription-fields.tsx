import { MultiSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { eventTypesQuery } from './records.ts'

export interface Fields {
  readonly endpoint_url: string
  readonly events: readonly string[]
  readonly description: string | null
}

interface Props {
  readonly values: Fields
  readonly errors: Readonly<Record<string, string>>
  /** It follows patterns too, so that it needs no single event. */
  readonly hasPatterns?: boolean
  onChange(values: Fields): void
}

/** Where a subscription sends what. */
export function SubscriptionFields({ values, errors, hasPatterns = false, onChange }: Props) {
  const types = useQuery(eventTypesQuery)
  const known = types.data?.map(({ name }) => name) ?? []
  const gone = values.events.filter((name) => name !== '*' && !known.includes(name))
  return (
    <>
      <TextInput
        label="Endpoint"
        description="Where events are sent by POST"
        placeholder="https://example.com/hook"
        required
        data-autofocus
        value={values.endpoint_url}
        error={errors['endpoint_url']}
        onChange={(event) => onChange({ ...values, endpoint_url: event.currentTarget.value })}
      />
      <MultiSelect
        label="Events"
        searchable
        required={!hasPatterns}
        data={[{ value: '*', label: '* (everything)' }, ...known, ...gone]}
        value={[...values.events]}
        error={errors['events']}
        onChange={(events) => onChange({ ...values, events })}
      />
      <TextInput
        label="Description"
        value={values.description ?? ''}
        error={errors['description']}
        onChange={(event) =>
          onChange({ ...values, description: event.currentTarget.value || null })
        }
      />
    </>
  )
}
