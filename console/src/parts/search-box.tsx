import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { icons } from './icons.tsx'

const TYPING_MS = 250

interface Props {
  readonly label: string
  readonly placeholder: string
  /** What the URL says. */
  readonly text: string | undefined
  onChange(text: string): void
}

/** Asked for when the typing pauses; shows what is asked for when the URL changes by itself, as by going back. */
export function SearchBox({ label, placeholder, text = '', onChange }: Props) {
  const [typed, setTyped] = useState(text)
  const told = useRef(text)
  const tell = useDebouncedCallback((words: string) => {
    told.current = words
    onChange(words)
  }, TYPING_MS)
  useEffect(() => {
    if (text === told.current) return
    told.current = text
    setTyped(text)
  }, [text])
  return (
    <TextInput
      size="xs"
      w={220}
      leftSection={icons.search}
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        tell(value)
      }}
    />
  )
}
