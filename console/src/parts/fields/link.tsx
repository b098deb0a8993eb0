import { Group, Input, TextInput } from '@mantine/core'
import { type FieldProps, textOf, wrapperOf } from './field.ts'

/** An address with its words, in either order; one to an entry is kept as it is while only the words change. */
export function LinkField(props: FieldProps) {
  const link: Record<string, unknown> =
    typeof props.value === 'object' && props.value !== null ? { ...props.value } : {}
  const set = (member: string, text: string) => {
    const next = { ...link, [member]: text || null }
    props.onChange(next['url'] || next['entry'] || next['title'] ? next : null)
  }
  return (
    <Input.Wrapper {...wrapperOf(props)} labelElement="div">
      <Group grow gap="xs" mt={4}>
        <TextInput
          aria-label={`${props.name} address`}
          placeholder="https://"
          value={textOf(link['url'])}
          onChange={(event) => set('url', event.currentTarget.value)}
        />
        <TextInput
          aria-label={`${props.name} words`}
          placeholder="Words"
          value={textOf(link['title'])}
          onChange={(event) => set('title', event.currentTarget.value)}
        />
      </Group>
    </Input.Wrapper>
  )
}
