import { type TestServer, until } from '#test-kit'

/** The lines of the access log about one request. */
export async function accessLines(
  server: Pick<TestServer, 'log'>,
  requestId: string | null,
): Promise<Record<string, unknown>[]> {
  const find = () =>
    server
      .log()
      .split('\n')
      .filter((line) => line.includes('gateway request') && line.includes(`"${requestId}"`))
  await until(() => find().length > 0)
  return find().map((line) => JSON.parse(line))
}
