import { Input, SegmentedControl, Stack, Textarea } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { BlocksField } from './blocks-field.tsx'
import { type FieldProps, textOf, wrapperOf } from './field.ts'
import { isFullyEditable } from './markup.ts'
import { MarkupEditor } from './markup-editor-later.tsx'

const MarkdownPreview = lazy(() => import('./markdown-preview.tsx'))

/** The editor of the attribute's format: nodes and markup as they look, markdown with a preview. */
export function RichtextField(props: FieldProps) {
  const { format } = props.attribute
  if (format === 'blocks') return <BlocksField {...props} />
  if (format === 'markdown' || format === 'plain_text') return <SourceField {...props} />
  return <MarkupField {...props} />
}

/** Markup the editor does not know would be lost in it, so that is written as source. */
function MarkupField(props: FieldProps) {
  const html = textOf(props.value)
  const isText = isFullyEditable(html)
  const [chosen, setMode] = useState(isText ? 'text' : 'source')
  // Another version, language or block may have come into this field meanwhile.
  const mode = isText ? chosen : 'source'
  const set = (text: string) => props.onChange(text === '' || text === '<p></p>' ? null : text)
  return (
    <Input.Wrapper {...wrapperOf(props)} labelElement="div">
      <Stack gap={4} mt={4}>
        {mode === 'text' ? (
          <MarkupEditor name={props.name} html={html} onChange={set} />
        ) : (
          <Textarea
            aria-label={`${props.name} as HTML`}
            autosize
            minRows={6}
            maxRows={24}
            ff="monospace"
            value={html}
            onChange={(event) => set(event.currentTarget.value)}
          />
        )}
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label={`How to write ${props.name}`}
          value={mode}
          onChange={setMode}
          data={[
            { value: 'text', label: 'Text', disabled: !isText },
            { value: 'source', label: 'HTML' },
          ]}
        />
      </Stack>
    </Input.Wrapper>
  )
}

function SourceField(props: FieldProps) {
  const [isShown, setShown] = useState(false)
  const text = textOf(props.value)
  return (
    <Stack gap={4}>
      <Textarea
        {...wrapperOf(props)}
        required={false}
        dir="auto"
        autosize
        minRows={6}
        maxRows={24}
        value={text}
        onChange={(event) => props.onChange(event.currentTarget.value || null)}
      />
      {props.attribute.format === 'markdown' && (
        <>
          <SegmentedControl
            size="xs"
            w="fit-content"
            aria-label={`Preview of ${props.name}`}
            value={isShown ? 'preview' : 'write'}
            onChange={(mode) => setShown(mode === 'preview')}
            data={[
              { value: 'write', label: 'Write' },
              { value: 'preview', label: 'With preview' },
            ]}
          />
          <Suspense>{isShown && <MarkdownPreview text={text} />}</Suspense>
        </>
      )}
    </Stack>
  )
}
