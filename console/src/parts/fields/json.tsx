import { useState } from 'react'
import { CodeEditor } from '../code-editor.tsx'
import { type FieldProps, NotJson, wrapperOf } from './field.ts'

/** Any JSON; text that is none yet is kept as it is and told, but never sent. */
export function JsonField(props: FieldProps) {
  const { value, onChange } = props
  const shown = render(value)
  const [text, setText] = useState(shown)
  const [known, setKnown] = useState(shown)
  // Somebody else has set it: another language, another version.
  if (shown !== known) {
    setKnown(shown)
    if (render(parse(text)) !== shown) setText(shown)
  }
  const { error, ...wrapper } = wrapperOf(props)
  return (
    <CodeEditor
      {...wrapper}
      error={value instanceof NotJson ? 'This is not JSON yet' : error}
      language="json"
      text={text}
      onChange={(typed) => {
        const parsed = parse(typed)
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

function parse(text: string): unknown {
  try {
    return text.trim() === '' ? null : JSON.parse(text)
  } catch {
    return new NotJson(text)
  }
}
