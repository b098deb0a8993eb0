import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pathQuery } from '../../api/lists.ts'
import type { GatewayObject } from './records.ts'

interface Watched {
  readonly name: string
  readonly nodes: readonly {
    readonly ip: string
    readonly port: number
    readonly status: 'healthy' | 'unhealthy'
  }[]
}

const EVERY_MS = 2_000

/** Nodes of an upstream with how they do; without checks nobody knows. */
export function Health({ object }: { object: GatewayObject }) {
  const { data } = useQuery({
    ...pathQuery<readonly Watched[]>('/gateway/control/v1/healthcheck'),
    refetchInterval: EVERY_MS,
  })
  const watched = data?.find(({ name }) => name === object.key)
  const names = nodesOf(object.value.nodes)
  return (
    <Group gap={4}>
      {watched
        ? watched.nodes.map(({ ip, port, status }) => (
            <Badge
              key={`${ip}:${port}`}
              miw="max-content"
              variant="dot"
              tt="none"
              color={status === 'healthy' ? 'teal' : 'red'}
            >
              {ip}:{port} {status}
            </Badge>
          ))
        : names.map((name) => (
            <Badge key={name} miw="max-content" variant="dot" tt="none" color="gray">
              {name} not checked
            </Badge>
          ))}
    </Group>
  )
}

function nodesOf(nodes: unknown): string[] {
  if (Array.isArray(nodes)) return nodes.map((node) => `${node.host}:${node.port}`)
  return typeof nodes === 'object' && nodes !== null ? Object.keys(nodes) : []
}
