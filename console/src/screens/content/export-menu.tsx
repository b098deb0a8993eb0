import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { ContentType } from '../../api/content.ts'
import { icons } from '../../parts/icons.tsx'
import { tellFault } from '../../parts/notify.ts'
import { exportEntries } from './export.ts'

/** The filtered list as a file; the button counts while it is fetched. */
export function ExportMenu({ type, query }: { type: ContentType; query: URLSearchParams }) {
  const [count, setCount] = useState<number>()

  async function run(format: 'csv' | 'ndjson') {
    setCount(0)
    try {
      save(await exportEntries(type, query, format, setCount), `${type.pluralName}.${format}`)
    } catch (error) {
      tellFault(error)
    } finally {
      setCount(undefined)
    }
  }

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={icons.download} disabled={count !== undefined}>
          {count === undefined ? 'Export' : `${count} entries …`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void run('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => void run('ndjson')}>NDJSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
