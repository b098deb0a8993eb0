/** Red that can be read on both grounds; the library's own is too faint for text. */
export const BAD = 'light-dark(var(--mantine-color-red-9), var(--mantine-color-red-4))'
