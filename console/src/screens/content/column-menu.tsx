import { Button, Checkbox, Popover, ScrollArea, Stack } from '@mantine/core'
import type { ContentType } from '../../api/content.ts'
import { icons } from '../../parts/icons.tsx'
import { columnTitle, possibleColumns } from './list-query.ts'

interface Props {
  readonly type: ContentType
  readonly columns: readonly string[]
  onChange(columns: readonly string[]): void
}

export function ColumnMenu({ type, columns, onChange }: Props) {
  return (
    <Popover position="bottom-start" trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={icons.columns}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ScrollArea.Autosize mah={320}>
          <Checkbox.Group value={[...columns]} onChange={onChange}>
            <Stack gap={6}>
              {possibleColumns(type).map((name) => (
                <Checkbox key={name} size="xs" value={name} label={columnTitle(type, name)} />
              ))}
            </Stack>
          </Checkbox.Group>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  )
}
