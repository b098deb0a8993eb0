/**
 * Every open dialog closes by Escape, also those below another one: whoever answers a question with it would lose what was
 * typed into the dialog that asked. Here first, and only the uppermost is closed, if it can be.
 */
export function closeOneByEscape(): void {
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || belongsToDropdown(event.target)) return
      const open = document.querySelectorAll('.mantine-Modal-content')
      const top = [...open].at(-1)
      if (open.length < 2 || !top) return
      event.stopImmediatePropagation()
      top.querySelector<HTMLElement>('.mantine-Modal-close')?.click()
    },
    { capture: true },
  )
}

/** Closed by itself, and not the dialog it is in. */
function belongsToDropdown(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true'
  )
}
