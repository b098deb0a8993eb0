import { Input, SegmentedControl } from '@mantine/core'
import { type FieldProps, wrapperOf } from './field.ts'

const CHOICES = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
  { value: '', label: 'Not set' },
]

export function BooleanField(props: FieldProps) {
  const { value, onChange, name } = props
  return (
    <Input.Wrapper {...wrapperOf(props)} labelElement="div">
      <div>
        <SegmentedControl
          size="xs"
          mt={4}
          aria-label={name}
          data={CHOICES}
          value={typeof value === 'boolean' ? String(value) : ''}
          onChange={(chosen) => onChange(chosen === '' ? null : chosen === 'true')}
        />
      </div>
    </Input.Wrapper>
  )
}
