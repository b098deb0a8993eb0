const EVENT_ID = /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

/** `evt_0197…`: without a full stop inside, because the signature is over parts joined by one. */
export function renderEventId(uuid: string): string {
  return `evt_${uuid.replaceAll('-', '')}`
}

export function parseEventId(text: string): string | undefined {
  const found = EVENT_ID.exec(text)
  return found ? found.slice(1).join('-') : undefined
}
