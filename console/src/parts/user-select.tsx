import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listQuery } from '../api/lists.ts'
import { personQuery } from '../api/people.ts'

interface Props {
  readonly value: number | null
  readonly description?: string
  readonly error: string | undefined
  onChange(id: number | null): void
}

const SHOWN = 20
const WAIT_MS = 150

/** A user by e-mail address; the server searches. */
export function UserSelect({ value, description, error, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), WAIT_MS)
  const query = { per_page: SHOWN, ...(q === '' ? {} : { q }) }
  const { data } = useQuery({
    ...listQuery<{ id: number; email: string }>('/api/v1/users', query),
    placeholderData: (before) => before,
  })
  const { data: chosen } = useQuery(personQuery(value))
  const users = data?.data.map(({ id, email }) => ({ value: String(id), label: email })) ?? []
  const isListed = value === null || users.some((user) => user.value === String(value))
  const own = { value: String(value), label: chosen ?? `user ${value}` }
  return (
    <Select
      label="User"
      {...(description === undefined ? {} : { description })}
      error={error}
      searchable
      clearable
      nothingFoundMessage="Nobody has this name"
      data={isListed ? users : [own, ...users]}
      filter={({ options }) => options}
      value={value === null ? null : String(value)}
      onSearchChange={setTyped}
      onChange={(id) => onChange(id === null ? null : Number(id))}
    />
  )
}
