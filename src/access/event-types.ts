const KEY = {
  key_id: 12,
  key_prefix: 'sk_Ab3dE',
  name: 'Production',
  plan_id: 1,
  status: 'active',
  expires_at: null,
  at: '2026-05-04T10:20:30.123Z',
}

/** The events of keys and usage, seen by the key's owner (access contract §7). */
export const ACCESS_EVENTS = [
  keyEvent('key.created', 'A key was issued', 'active'),
  keyEvent('key.rotated', 'The secret of a key was replaced', 'active'),
  keyEvent('key.revoked', 'A key was revoked', 'revoked'),
  keyEvent('key.expired', 'A key has expired', 'expired'),
  {
    name: 'usage.threshold',
    description: '80, 90 or 100 % of the monthly quota of a key are used',
    visibility: 'owner',
    examplePayload: {
      key_id: 12,
      window: 'month',
      percent: 80,
      used: 8_000,
      limit: 10_000,
      at: '2026-05-04T10:20:30.123Z',
    },
  },
] as const

function keyEvent<Name extends string>(name: Name, description: string, status: string) {
  return { name, description, visibility: 'owner', examplePayload: { ...KEY, status } } as const
}
