import { Checkbox, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import type { Attributes } from '../../api/content.ts'

/** What a type says of itself, beside its attributes. */
export interface Settings {
  readonly displayName: string
  readonly singularName: string
  readonly pluralName: string
  readonly description: string
  readonly kind: string
  readonly displayField: string | null
  readonly draftAndPublish: boolean
  readonly localized: boolean
  readonly publicRead: boolean
}

interface Props {
  readonly settings: Settings
  readonly attributes: Attributes
  readonly errors: Readonly<Record<string, string>>
  onChange(settings: Settings): void
}

const NAMING = ['string', 'text', 'email', 'uid', 'enumeration']

export function TypeSettings({ settings, attributes, errors, onChange }: Props) {
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change })
  const text = (
    name: 'displayName' | 'singularName' | 'pluralName',
    label: string,
    description?: string,
  ) => (
    <TextInput
      label={label}
      description={description}
      required
      value={settings[name]}
      error={errors[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  const names = Object.entries(attributes).filter(([, { type }]) => NAMING.includes(type))
  return (
    <Stack gap="sm">
      {text('displayName', 'Name', 'For people')}
      <Group grow align="flex-end">
        {text('singularName', 'Singular', 'Such as article')}
        {text('pluralName', 'Plural', 'Such as articles, in addresses')}
      </Group>
      <Textarea
        label="Description"
        autosize
        value={settings.description}
        error={errors['description']}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <Group grow align="flex-end">
        <NativeSelect
          label="How many entries"
          value={settings.kind}
          data={[
            { value: 'collectionType', label: 'Any number' },
            { value: 'singleType', label: 'One, such as a home page' },
          ]}
          onChange={(event) => set({ kind: event.currentTarget.value })}
        />
        <NativeSelect
          label="Entries are called by"
          value={settings.displayField ?? ''}
          error={errors['displayField']}
          data={[{ value: '', label: 'their id' }, ...names.map(([name]) => name)]}
          onChange={(event) => set({ displayField: event.currentTarget.value || null })}
        />
      </Group>
      <Checkbox
        label="Drafts: entries are published when they are ready"
        checked={settings.draftAndPublish}
        onChange={(event) => set({ draftAndPublish: event.currentTarget.checked })}
      />
      <Checkbox
        label="Languages: entries exist in several"
        checked={settings.localized}
        onChange={(event) => set({ localized: event.currentTarget.checked })}
      />
      <Checkbox
        label="Everybody may read what is published, without a key"
        checked={settings.publicRead}
        onChange={(event) => set({ publicRead: event.currentTarget.checked })}
      />
    </Stack>
  )
}
