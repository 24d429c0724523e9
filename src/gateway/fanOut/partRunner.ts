import type { MemberId } from '../../fleet/interface.ts'
import { PAGE_STATUS } from '../../rpc/execute.ts'
import { type PartedSearch, successText } from '../../rpc/json.ts'
import { LOGS_PART } from '../../rpc/parts/logParts.ts'
import { TRACES_PART } from '../../rpc/parts/traceParts.ts'
import { asBuffer } from '../../util/bytes.ts'
import { type Caller, unlimitedCaller } from '../access/caller.ts'
import { type Exchange, whenGone } from '../exchange.ts'
import { PAGE_ID } from '../pagedAnswer.ts'
import type { Route, Router } from '../router.ts'
import type { Dispatcher } from '../scheduler/dispatcher.ts'
import type { PoolLane } from '../scheduler/lanes.ts'
import type { AnswerSink, Ticket } from '../scheduler/ticket.ts'
import { decodePartCall, encodePartCall } from './partCall.ts'
import { searchInParts } from './sharedSearch.ts'

/** Time that the way to another member and back may take beside its work, milliseconds. */
const WAY = 1000

const HEAD = Buffer.from(successText(PAGE_ID, '').slice(0, -1))
const METHODS: ReadonlySet<string> = new Set([LOGS_PART, TRACES_PART])

/** Other members of the fleet, as searches see them. */
export interface SearchMembers {
  /** Those that serve now, without this one. */
  others(): Promise<readonly MemberId[]>
  /** Has a member answer a part. Rejects when it does not in time. */
  search(member: MemberId, call: Buffer, milliseconds: number): Promise<Buffer>
}

/** What runs parts. */
export interface PartRunnerParts {
  readonly router: Router
  readonly dispatcher: Dispatcher
  readonly members: SearchMembers
  /** Bytes of an answer. */
  readonly answerBytes: number
  readonly reverts: Ticket['reverts']
}

/** A request whose search is shared. */
export interface SharedRequest {
  readonly caller: Caller
  readonly exchange: Exchange
  readonly search: PartedSearch
}

/** Shares long searches with other members of the fleet, and answers parts for them (fleet.md §10). */
export class PartRunner {
  readonly #parts: PartRunnerParts
  /** Whoever asks has charged its client; here the fleet is one client among the others. */
  readonly #fleet = unlimitedCaller('fleet')

  constructor(parts: PartRunnerParts) {
    this.#parts = parts
  }

  /**
   * Searches in parts.
   * @returns JSON texts of the elements with commas between; null where the request is to be answered as it came
   */
  async run({ caller, exchange, search }: SharedRequest): Promise<readonly Buffer[] | null> {
    const { members, router, dispatcher, answerBytes } = this.#parts
    const others = await members.others().catch(() => [])
    if (others.length === 0) return null
    const route = router.forForward(search.method)
    const milliseconds = dispatcher.timeLimit(route.lane as PoolLane) + WAY
    return searchInParts({
      search,
      own: (params) => this.#dispatch(route, params, caller, exchange),
      others: others.map(
        (member) => (params) =>
          members.search(member, encodePartCall({ method: search.method, params }), milliseconds),
      ),
      mostBytes: answerBytes,
      hold: (bytes) => exchange.hold?.(bytes) !== false,
      isGone: () => exchange.gone,
    })
  }

  /**
   * Answers a part that another member asks for.
   * @throws RpcError for what is no part, Error when it cannot be answered
   */
  answer(payload: Buffer): Promise<Buffer> {
    const { method, params } = decodePartCall(payload, METHODS)
    return this.#dispatch(this.#parts.router.forForward(method), params, this.#fleet, null)
  }

  /** Has workers answer a part: its result. Rejects with the text of an error. */
  #dispatch(route: Route, params: string, caller: Caller, exchange: Exchange | null): Promise<Buffer> {
    const { dispatcher, reverts } = this.#parts
    return new Promise((resolve, reject) => {
      const sink: AnswerSink = (body, status) => {
        // It lies in memory that the next answer may take.
        const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(asBuffer(body))
        if (status !== PAGE_STATUS && bytes.subarray(0, HEAD.length).equals(HEAD))
          resolve(bytes.subarray(HEAD.length, bytes.length - 1))
        else reject(new Error(bytes.toString()))
      }
      const lane = route.lane as PoolLane
      const ticket: Ticket = {
        client: caller.account,
        method: route.index,
        lane,
        id: PAGE_ID,
        params,
        reverts,
        beyondHead: 'cut',
        deadline: performance.now() + dispatcher.timeLimit(lane),
        startedAt: 0,
        slot: -1,
        settled: false,
        sink,
      }
      dispatcher.submit(lane, ticket)
      if (exchange === null) return
      whenGone(exchange, () => {
        dispatcher.cancel(ticket)
        reject(new Error('nobody waits for it any more'))
      })
    })
  }
}
