import { Checkbox, MultiSelect, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import { Nodes } from './nodes.tsx'
import type { GatewayValue, Kind } from './records.ts'

interface Props {
  readonly kind: Kind
  readonly isNew: boolean
  readonly name: string
  onName(name: string): void
  readonly value: GatewayValue
  onChange(value: GatewayValue): void
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** The members that most objects of a kind have; the others are in the JSON. */
export function ObjectFields({ kind, isNew, name, onName, value, onChange }: Props) {
  const set = (change: GatewayValue) => onChange(without({ ...value, ...change }))
  const uris = value.uris ?? (value.uri === undefined ? [] : [value.uri])
  const hosts = value.hosts ?? (value.host === undefined ? [] : [value.host])
  return (
    <Stack gap="sm">
      {isNew && (
        <TextInput
          label={kind === 'consumers' ? 'User name' : 'Id'}
          description={kind === 'consumers' ? undefined : 'Empty: one is made'}
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
        />
      )}
      {kind !== 'consumers' && kind !== 'ssls' && kind !== 'global_rules' && (
        <TextInput
          label="Name"
          value={value.name ?? ''}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      )}
      {kind === 'routes' && (
        <>
          <TagsInput
            label="Paths"
            description="Such as /shop/*; Enter adds one"
            value={[...uris]}
            onChange={(next) => set({ uri: undefined, uris: undefined, ...pathsOf(next) })}
          />
          <MultiSelect
            label="Methods"
            description="None: all"
            data={METHODS}
            value={[...(value.methods ?? [])]}
            onChange={(next) => set({ methods: next.length === 0 ? undefined : next })}
          />
          <TagsInput
            label="Hosts"
            description="None: any"
            value={[...hosts]}
            onChange={(next) =>
              set({ host: undefined, hosts: next.length === 0 ? undefined : next })
            }
          />
          <Checkbox
            label="On"
            checked={value.status !== 0}
            onChange={(event) => set({ status: event.currentTarget.checked ? 1 : 0 })}
          />
          {value.upstream === undefined && (
            <TextInput
              label="Upstream"
              description="Its id, or none when a service names it"
              value={value.upstream_id ?? ''}
              onChange={(event) => set({ upstream_id: event.currentTarget.value })}
            />
          )}
        </>
      )}
      {kind === 'upstreams' && <Nodes nodes={value.nodes} onChange={(nodes) => set({ nodes })} />}
      {value.upstream !== undefined && (
        <Nodes
          nodes={value.upstream['nodes']}
          onChange={(nodes) => set({ upstream: { ...value.upstream, nodes } })}
        />
      )}
      {kind === 'ssls' && (
        <>
          <TagsInput
            label="Names"
            value={[...(value.snis ?? [])]}
            onChange={(snis) => set({ snis })}
          />
          {['cert', 'key'].map((member) => (
            <Textarea
              key={member}
              label={member === 'cert' ? 'Certificate (PEM)' : 'Private key (PEM)'}
              placeholder="-----BEGIN"
              autosize
              minRows={5}
              maxRows={14}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              value={String(value[member] ?? '')}
              onChange={(event) => set({ [member]: event.currentTarget.value })}
            />
          ))}
        </>
      )}
    </Stack>
  )
}

function pathsOf(uris: readonly string[]): GatewayValue {
  const [only] = uris
  if (only === undefined) return {}
  return uris.length === 1 ? { uri: only } : { uris }
}

/** A member that is empty is not sent. */
function without(value: GatewayValue): GatewayValue {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined && member !== ''),
  )
}
