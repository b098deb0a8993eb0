import { useState } from 'react'
import { CodeEditor } from '../code-editor.tsx'
import { type FieldProps, wrapperOf } from './field.ts'

/** Any JSON; text that is none yet is kept in the editor and told, but never sent. */
export function JsonField(props: FieldProps) {
  const { value, onChange } = props
  const shown = render(value)
  const [text, setText] = useState(shown)
  const [known, setKnown] = useState(shown)
  const [fault, setFault] = useState('')
  // Somebody else has set it: another language, another version.
  if (shown !== known) {
    setKnown(shown)
    if (parse(text) !== shown) setText(shown)
  }
  const { error, ...wrapper } = wrapperOf(props)
  return (
    <CodeEditor
      {...wrapper}
      error={fault || error}
      language="json"
      text={text}
      onChange={(typed) => {
        setText(typed)
        try {
          const parsed: unknown = typed.trim() === '' ? null : JSON.parse(typed)
          setFault('')
          setKnown(render(parsed))
          onChange(parsed)
        } catch {
          setFault('This is not JSON yet')
        }
      }}
    />
  )
}

function render(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
}

function parse(text: string): string {
  try {
    return render(text.trim() === '' ? null : JSON.parse(text))
  } catch {
    return text
  }
}
