import { Badge, Group, Select, TagsInput } from '@mantine/core'
import { colourOf } from './colour.ts'
import { type FieldProps, textOf, wrapperOf } from './field.ts'

export function EnumerationField(props: FieldProps) {
  const { value, attribute, onChange } = props
  return (
    <Select
      {...wrapperOf(props)}
      required={false}
      data={[...(attribute.enum ?? [])]}
      value={textOf(value) || null}
      clearable
      searchable
      onChange={onChange}
      renderOption={({ option }) => (
        <Badge variant="dot" tt="none" color={colourOf(option.value)}>
          {option.label}
        </Badge>
      )}
      leftSection={value ? <Dot colour={colourOf(String(value))} /> : undefined}
    />
  )
}

export function TagsField(props: FieldProps) {
  const { value, attribute, onChange } = props
  return (
    <TagsInput
      {...wrapperOf(props)}
      required={false}
      description="Enter adds one"
      data={[...(attribute.enum ?? [])]}
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={(tags) => onChange(tags.length > 0 ? tags : null)}
    />
  )
}

function Dot({ colour }: { colour: string }) {
  return (
    <Group w={10} h={10} bg={`${colour}.6`} style={{ borderRadius: 5 }} aria-hidden="true">
      {' '}
    </Group>
  )
}
