import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { type ContentType, loadTypes } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { curl, Step } from './step.tsx'

interface Props {
  readonly types: readonly ContentType[]
  readonly chosen: ContentType | undefined
  onChosen(type: ContentType): void
}

/** A type to begin with: a title, an address made from it, and a text. */
export function TypeStep({ types, chosen, onChosen }: Props) {
  const [name, setName] = useState('Note')
  const client = useQueryClient()
  const body = definitionOf(name)
  const make = useMutation({
    mutationFn: async () => {
      await api.POST('/api/v1/content-types', { body: body as never })
      const all = await refreshedTypes(client)
      return all.find(({ singularName }) => singularName === body.singularName)
    },
    onSuccess: (made) => made && onChosen(made),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Step
      number={1}
      title="A type"
      note="Says what your entries consist of. This one has a title, an address and a text; more is added under Types."
      isDone={chosen !== undefined}
      command={curl('/api/v1/content-types', { body })}
    >
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Name of the type"
            value={name}
            required
            onChange={(event) => setName(event.currentTarget.value)}
            error={make.error ? messageOf(make.error) : undefined}
          />
          <Button type="submit" loading={make.isPending} disabled={body.singularName === ''}>
            Make the type
          </Button>
        </Group>
      </form>
      {types.length > 0 && (
        <Group gap="xs">
          <Text size="sm">or take one that is there:</Text>
          <NativeSelect
            size="xs"
            aria-label="Existing type"
            value={chosen?.uid ?? ''}
            data={[{ value: '', label: 'choose' }, ...types.map(toOption)]}
            onChange={(event) => {
              const found = types.find(({ uid }) => uid === event.currentTarget.value)
              if (found) onChosen(found)
            }}
          />
        </Group>
      )}
    </Step>
  )
}

function toOption({ uid, displayName }: ContentType) {
  return { value: uid, label: displayName }
}

function definitionOf(name: string) {
  const singularName = name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return {
    displayName: name.trim(),
    singularName,
    pluralName: singularName.endsWith('s') ? `${singularName}es` : `${singularName}s`,
    displayField: 'title',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'title' },
      text: { type: 'richtext' },
    },
  }
}

async function refreshedTypes(client: QueryClient): Promise<readonly ContentType[]> {
  await client.invalidateQueries({ queryKey: ['content-model'], refetchType: 'none' })
  await client.refetchQueries({ queryKey: ['content-model'] })
  return loadTypes()
}
