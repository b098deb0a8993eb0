import { Box, Input, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { NotJson } from '../not-json.ts'
import { type BlockNode, isWhollyShown, toBlocks, toMarkup } from './blocks.ts'
import { type FieldProps, wrapperOf } from './field.ts'
import { JsonField } from './json.tsx'
import { MarkupEditor } from './markup-editor-later.tsx'

/** Nodes as the text they are; those the editor does not know, such as pictures, are written as JSON. */
export function BlocksField(props: FieldProps) {
  const nodes = (Array.isArray(props.value) ? props.value : []) as readonly BlockNode[]
  const isText = !(props.value instanceof NotJson) && isWhollyShown(nodes)
  const [mode, setMode] = useState(isText ? 'text' : 'json')
  const shown = isText ? mode : 'json'
  return (
    <Stack gap={4}>
      {shown === 'json' ? (
        <JsonField {...props} />
      ) : (
        <Input.Wrapper {...wrapperOf(props)} labelElement="div">
          <Box mt={4}>
            <MarkupEditor
              name={props.name}
              html={toMarkup(nodes)}
              isOfBlocks
              onChange={(html) =>
                props.onChange(
                  html === '' || html === '<p></p>' ? null : withoutTail(toBlocks(html)),
                )
              }
            />
          </Box>
        </Input.Wrapper>
      )}
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={`How to write ${props.name}`}
        value={shown}
        onChange={setMode}
        data={[
          { value: 'text', label: 'Text', disabled: !isText },
          { value: 'json', label: 'JSON' },
        ]}
      />
    </Stack>
  )
}

/** The editor keeps an empty line below what is no paragraph, to write on there. */
function withoutTail(nodes: readonly BlockNode[]): readonly BlockNode[] {
  const [before, last] = nodes.slice(-2)
  const isTail = last?.type === 'paragraph' && last.children?.[0]?.text === ''
  return isTail && before?.type !== 'paragraph' ? nodes.slice(0, -1) : nodes
}
