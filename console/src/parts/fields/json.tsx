import { useState } from 'react'
import { CodeEditor } from '../code-editor.tsx'
import { NotJson, parseJson } from '../not-json.ts'
import { type FieldProps, wrapperOf } from './field.ts'

/** Any JSON; text that is none yet is kept as it is and told, but never sent. */
export function JsonField(props: FieldProps) {
  const { value, onChange } = props
  const shown = render(value)
  const [text, setText] = useState(shown)
  const [known, setKnown] = useState(shown)
  // Somebody else has set it: another language, another version.
  if (shown !== known) {
    setKnown(shown)
    if (render(parseJson(text)) !== shown) setText(shown)
  }
  const { error, ...wrapper } = wrapperOf(props)
  return (
    <CodeEditor
      {...wrapper}
      error={value instanceof NotJson ? 'This is not JSON yet' : error}
      language="json"
      text={text}
      onChange={(typed) => {
        const parsed = parseJson(typed)
        setText(typed)
        setKnown(render(parsed))
        onChange(parsed)
      }}
    />
  )
}

function render(value: unknown): string {
  if (value instanceof NotJson) return value.text
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
}
