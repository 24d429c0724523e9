import { createRandom } from '../../test/support/random.ts'

export interface JsonRpcRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A request, or several for a batch. */
export type Body = JsonRpcRequest | readonly JsonRpcRequest[]

/** Requests of one measurement. */
export interface Workload {
  readonly name: string
  readonly transport: 'http' | 'ws'
  /**
   * `repeated`: a small circle of requests, which a response cache serves; `distinct`: no request comes twice
   * while the head stays.
   */
  readonly kind: 'repeated' | 'distinct'
  /** The requests in the order in which they are sent. */
  readonly bodies: () => readonly Body[]
}

/** A part of a mix. */
export interface Share {
  readonly weight: number
  readonly bodies: readonly Body[]
}

/** Requests drawn from the parts by their weights, each part's in its own order. The same every time. */
export function mix(shares: readonly Share[], count: number): Body[] {
  const random = createRandom(1)
  const total = shares.reduce((sum, { weight }) => sum + weight, 0)
  const turns = shares.map(() => 0)
  return Array.from({ length: count }, () => {
    let left = random() * total
    let index = 0
    while (index < shares.length - 1 && left >= (shares[index]?.weight ?? 0)) {
      left -= shares[index]?.weight ?? 0
      index += 1
    }
    const bodies = shares[index]?.bodies ?? []
    const turn = turns[index] ?? 0
    turns[index] = turn + 1
    return bodies[turn % bodies.length] as Body
  })
}

/** The text of a request or of a batch. */
export function textOf(body: Body): string {
  const entry = (item: JsonRpcRequest, id: number) => ({ jsonrpc: '2.0', id, ...item })
  return JSON.stringify(isBatch(body) ? body.map((item, i) => entry(item, i + 1)) : entry(body, 1))
}

function isBatch(body: Body): body is readonly JsonRpcRequest[] {
  return Array.isArray(body)
}
