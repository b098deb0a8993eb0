import { ActionIcon, Button, Group, Image, Input, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { previewOf } from '../../api/media.ts'
import { Excerpt, type Linked, linkedOf } from '../../api/references.ts'
import { icons } from '../icons.tsx'
import { MediaPicker } from '../media-picker.tsx'
import { type FieldProps, wrapperOf } from './field.ts'

export function MediaField(props: FieldProps) {
  const { attribute, value, onChange, name } = props
  const [isOpen, picker] = useDisclosure(false)
  const linked = linkedOf(value)
  if (value instanceof Excerpt)
    return (
      <Input.Wrapper {...wrapperOf(props)} labelElement="div">
        <Text size="sm">More than {linked.length} files: they can be changed through the API.</Text>
      </Input.Wrapper>
    )
  return (
    <Input.Wrapper {...wrapperOf(props)} labelElement="div">
      <Group gap="xs" mt={4}>
        {linked.map((each) => (
          <Thumb
            key={each.id}
            linked={each}
            field={name}
            onRemove={() => onChange(linked.filter(({ id }) => id !== each.id))}
          />
        ))}
        <Button variant="default" leftSection={icons.media} onClick={picker.open}>
          {attribute.multiple
            ? 'Add files'
            : linked.length > 0
              ? 'Choose another'
              : 'Choose a file'}
        </Button>
      </Group>
      <MediaPicker
        opened={isOpen}
        onClose={picker.close}
        onChosen={(file) => {
          const chosen = { id: file.id, label: file.name, file }
          onChange(
            attribute.multiple ? [...linked.filter(({ id }) => id !== file.id), chosen] : [chosen],
          )
          picker.close()
        }}
      />
    </Input.Wrapper>
  )
}

function Thumb({ linked, field, onRemove }: { linked: Linked; field: string; onRemove(): void }) {
  const picture = linked.file && previewOf(linked.file)
  return (
    <Paper withBorder p={4}>
      <Group gap={6} wrap="nowrap">
        {picture ? (
          <Image src={picture} alt="" w={44} h={44} fit="cover" radius="sm" />
        ) : (
          icons.file
        )}
        <Text size="xs" maw={140} truncate dir="auto">
          {linked.label}
        </Text>
        <ActionIcon
          variant="subtle"
          aria-label={`Remove ${linked.label} from ${field}`}
          onClick={onRemove}
        >
          {icons.close}
        </ActionIcon>
      </Group>
    </Paper>
  )
}
