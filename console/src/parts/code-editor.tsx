import { Box, Input, useComputedColorScheme } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useId } from 'react'

const Editor = lazy(() => import('./code-mirror.tsx'))

interface Props {
  readonly label: string
  readonly description?: ReactNode
  readonly language: 'json' | 'javascript'
  readonly text: string
  readonly error?: ReactNode
  readonly required?: boolean
  readonly readOnly?: boolean
  onChange?(text: string): void
}

/** JSON and scripts, with colours and faults at their line; the editor is loaded when one is shown. */
export function CodeEditor({ label, description, error, required, ...rest }: Props) {
  const id = useId()
  const scheme = useComputedColorScheme('light')
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      required={required ?? false}
      labelElement="div"
      labelProps={{ id }}
    >
      <Box className="code-editor" mt={4}>
        <Suspense fallback={<pre className="waiting">{`${rest.text}\n`}</pre>}>
          <Editor labelledBy={id} isDark={scheme === 'dark'} {...rest} />
        </Suspense>
      </Box>
    </Input.Wrapper>
  )
}
