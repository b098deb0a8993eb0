import { Button, FileButton, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import type { ComponentType, ContentType } from '../../api/content.ts'
import { icons } from '../../parts/icons.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { ChangeDialog, type Impact } from './change.tsx'

interface Props {
  readonly types: readonly ContentType[]
  readonly components: readonly ComponentType[]
}

interface Report {
  readonly contentTypes: readonly { readonly name: string }[]
  readonly components: readonly { readonly name: string }[]
  readonly changes: readonly Impact[]
}

const IMPORT = '/api/v1/content-types/import'

/** The model as a file: to keep, to compare, and to take to another server. */
export function ModelFile({ types, components }: Props) {
  const [pending, setPending] = useState<{ readonly body: unknown; readonly report: Report }>()
  const client = useQueryClient()

  function download() {
    const text = JSON.stringify({ contentTypes: types, components }, null, 2)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = 'model.json'
    link.click()
    URL.revokeObjectURL(link.href)
  }

  async function read(file: File | null) {
    if (!file) return
    try {
      const body: unknown = JSON.parse(await file.text())
      const answer = await send<{ data: Report }>(IMPORT, {
        method: 'POST',
        query: { dry_run: true },
        body,
      })
      setPending({ body, report: answer.body.data })
    } catch (error) {
      tellFault(error instanceof SyntaxError ? new Error(`${file.name} is not JSON`) : error)
    }
  }

  async function take() {
    await send(IMPORT, { method: 'POST', query: { force: true }, body: pending?.body })
    await client.invalidateQueries()
    setPending(undefined)
    tellDone('The model is taken over')
  }

  const count =
    (pending?.report.contentTypes.length ?? 0) + (pending?.report.components.length ?? 0)
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default">Model file</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={icons.download} onClick={download}>
            Export as JSON
          </Menu.Item>
          <FileButton accept="application/json,.json" onChange={(file) => void read(file)}>
            {(props) => (
              <Menu.Item {...props} leftSection={icons.upload} closeMenuOnClick={false}>
                Import a file
              </Menu.Item>
            )}
          </FileButton>
        </Menu.Dropdown>
      </Menu>
      {pending && (
        <ChangeDialog
          title={`Import ${count} definitions?`}
          impacts={pending.report.changes}
          name="import"
          onClose={() => setPending(undefined)}
          run={take}
        />
      )}
    </>
  )
}
