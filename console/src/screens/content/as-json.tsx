import { Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import type { ContentType, Entry } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { CodeEditor } from '../../parts/code-editor.tsx'
import { CopyText } from '../../parts/copy-text.tsx'

interface Props {
  readonly opened: boolean
  readonly type: ContentType & { readonly entityType?: string; readonly bundle?: string }
  readonly entry: Entry
  onClose(): void
}

/** The entry as each dialect serves it, with the address that it is read at. */
export function AsJson({ opened, type, entry, onClose }: Props) {
  const addresses = addressesOf(type, entry)
  const [dialect, setDialect] = useState('REST')
  const path = addresses[dialect] ?? ''
  const { data, error } = useQuery({
    queryKey: ['as-json', path],
    queryFn: async () => JSON.stringify((await send(path)).body, null, 2),
    enabled: opened,
    gcTime: 0,
  })
  return (
    <Modal opened={opened} onClose={onClose} title="As JSON" size="xl">
      <Stack gap="sm">
        <NativeSelect
          label="Dialect"
          value={dialect}
          data={Object.keys(addresses)}
          onChange={(event) => setDialect(event.currentTarget.value)}
        />
        <CopyText text={`${location.origin}${path}`} label="Copy address" />
        {error ? (
          <Text c="red" size="sm">
            {messageOf(error)}
          </Text>
        ) : (
          <CodeEditor label="Answer" language="json" text={data ?? ''} readOnly />
        )}
      </Stack>
    </Modal>
  )
}

function addressesOf(type: Props['type'], entry: Entry): Record<string, string> {
  const { pluralName, singularName, entityType, bundle, attributes, displayField } = type
  const { document_id: document } = entry
  const field = displayField && attributes[displayField] ? ` ${displayField}` : ''
  const query = `{ ${camel(singularName)}(documentId: "${document}") { documentId${field} } }`
  return {
    REST: `/api/v1/${pluralName}/${entry.id}`,
    CMS: `/api/${pluralName}/${document}?populate=*`,
    'JSON:API': `/jsonapi/${entityType}/${bundle}/${document}`,
    Delivery: `/cms/delivery/api/v2/content/item/${document}`,
    GraphQL: `/graphql?${new URLSearchParams({ query })}`,
  }
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())
}
