import { useEffect } from 'react'

export const SEARCH_ID = 'find-anything'

/**
 * From the key that opens the search until its field has the focus, what is typed belongs to the search: its
 * code may still be loading, and a form that has the focus must not get these words, nor be sent by Enter.
 */
export function useTypedAhead(
  isOpen: boolean,
  change: (next: (before: string) => string) => void,
  close: () => void,
): void {
  useEffect(() => {
    if (!isOpen) return
    window.addEventListener('keydown', take, { capture: true })
    return end

    function end() {
      window.removeEventListener('keydown', take, { capture: true })
    }

    function take(event: KeyboardEvent) {
      if (document.activeElement?.id === SEARCH_ID) return end()
      if (isCommand(event)) return
      const { key } = event
      if (key === 'Escape') close()
      else if (key === 'Backspace') change((before) => before.slice(0, -1))
      else if (isCharacter(key)) change((before) => before + key)
      else if (key !== 'Enter') return
      event.preventDefault()
      event.stopPropagation()
    }
  }, [isOpen, change, close])
}

/** Some keyboards write characters with AltGr, which is told as Ctrl and Alt too. */
function isCommand(event: KeyboardEvent): boolean {
  if (event.getModifierState('AltGraph')) return false
  return event.ctrlKey || event.metaKey || event.altKey || event.isComposing
}

/** Other keys have names of several letters. */
function isCharacter(key: string): boolean {
  return [...key].length === 1
}
