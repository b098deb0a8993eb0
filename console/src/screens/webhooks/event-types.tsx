import { Accordion, Badge, Code, Grid, Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { eventTypesQuery, TABS } from './records.ts'

/** What can be subscribed to, each with its schema and an example. */
export default function EventTypes() {
  const [search, setSearch] = useSearchText()
  const { data, error } = useQuery(eventTypesQuery)
  if (error && !data) return <ScreenFault error={error} />
  const wanted = (search['q'] ?? '').toLowerCase()
  const shown = (data ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <Page title="Event types" note="What can be told, and in what form.">
      <AreaTabs label="Webhooks" tabs={TABS} />
      <Group mb="sm">
        <SearchBox
          label="Search event types"
          placeholder="Search"
          text={search['q']}
          onChange={(q) => setSearch({ q })}
        />
      </Group>
      <Accordion
        variant="separated"
        chevronPosition="left"
        value={search['event'] ?? null}
        onChange={(event) => setSearch({ event: event ?? undefined })}
      >
        {shown.map((type) => (
          <Accordion.Item key={type.name} value={type.name}>
            <Accordion.Control>
              <Group gap="xs">
                <Text size="sm" fw={600} className="wrap-anywhere">
                  {type.name}
                </Text>
                {!type.built_in && (
                  <Badge miw="max-content" variant="dot" tt="none">
                    own
                  </Badge>
                )}
                <Text size="sm" c="dimmed">
                  {type.description}
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Grid>
                <Grid.Col span={{ base: 12, md: 6 }}>
                  <Shown title="Example" value={type.example_payload} />
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 6 }}>
                  <Shown title="Schema" value={type.schema} />
                </Grid.Col>
              </Grid>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Page>
  )
}

function Shown({ title, value }: { title: string; value: unknown }) {
  return (
    <>
      <Title order={3} fz="sm" mb={4}>
        {title}
      </Title>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value === null || value === undefined ? 'none' : JSON.stringify(value, null, 2)}
      </Code>
    </>
  )
}
