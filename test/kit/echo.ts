interface Head {
  readonly method: string
  readonly target: string
}

interface Replying {
  begin(status: number, headers: readonly string[]): void
  end(chunk: Buffer | null): void
  takeBody(): void
}

/** A request that an echo has seen, and what became of it. */
export interface Echoed<Request, Client> {
  readonly request: Request
  readonly client: Client
  body: string
  isWhole: boolean | undefined
}

interface Rules<Request, Client> {
  hasBody(request: Request): boolean
  /** Of every answer, besides its length. */
  readonly headers?: readonly string[]
  /** In place of the target and body that were sent. */
  answer?(exchange: Echoed<Request, Client>): void
}

/** A service of the gateway's listeners that answers what it was sent. */
export function createEchoService<Request extends Head, Client extends Replying>({
  hasBody,
  headers = [],
  answer: given,
}: Rules<Request, Client>) {
  const answer = given ?? reply
  type Exchange = Echoed<Request, Client>
  const seen: Exchange[] = []
  const faults: number[] = []
  const service = {
    open(request: Request, client: Client): Exchange {
      const exchange: Exchange = { request, client, body: '', isWhole: undefined }
      seen.push(exchange)
      return exchange
    },
    run(exchange: Exchange) {
      if (hasBody(exchange.request)) exchange.client.takeBody()
      else answer(exchange)
    },
    body(exchange: Exchange, chunk: Buffer) {
      exchange.body += chunk.toString('latin1')
      return true
    },
    bodyEnd: (exchange: Exchange) => answer(exchange),
    bodyFault({ client }: Exchange, status: number) {
      faults.push(status)
      client.begin(status, ['Content-Length', '0'])
      client.end(null)
    },
    drained() {},
    over(exchange: Exchange, isWhole: boolean) {
      exchange.isWhole = isWhole
    },
  }
  return { service, seen, faults, reply }

  function reply({ request, client, body }: Exchange) {
    const text = Buffer.from(`${request.method} ${request.target} ${body}`)
    client.begin(200, ['Content-Length', String(text.length), ...headers])
    client.end(text)
  }
}
