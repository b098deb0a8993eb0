const CHOICES = ['blue', 'grape', 'orange', 'cyan', 'lime', 'pink', 'indigo', 'teal']

/** The same choice has the same colour everywhere. */
export function colourOf(choice: string): string {
  let sum = 0
  for (const character of choice) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return CHOICES[sum % CHOICES.length] ?? 'gray'
}
